import { approvalsText, approversText, mayApprove, ruleText } from '../../destructive/approval-rules.ts'
import type { ApprovalTerms } from '../../domain/destructive-use.ts'
import { keyHolder } from '../../destructive/key-holder.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { ForbiddenError } from '../../errors/errors.ts'
import type { AccountStore } from '../../ports/access/account-store.ts'
import type { KeyStore } from '../../ports/access/key-store.ts'
import type { RunStore } from '../../ports/runs/run-store.ts'
import { isApproval } from '../../transitions/question.ts'
import { isApprovalPath } from '../journal/paths.ts'

export interface AnswerRequest {
  readonly value: unknown
  readonly by: Actor
  /** When the session of the request began, in epoch milliseconds. Default: the request came with a key. */
  readonly signedInAt?: number | undefined
  readonly text: string | null
  /** The roles of the responder that may approve in an organization. Default: none, so that nothing can be approved. */
  readonly approvingRoles?: ((organizationUuid: string) => readonly string[]) | undefined
  /** Of an approval of several actions: the numbers of the refused ones, from 0. Default: none. */
  readonly refusedItems?: readonly number[] | undefined
}

/**
 * Whether the requester of a run may approve its actions: never, or in a session that began before the run was
 * created.
 */
export const selfApprovals = ['never', 'signed_in'] as const
export type SelfApproval = (typeof selfApprovals)[number]

interface ApprovalStores {
  readonly runs: Pick<RunStore, 'find' | 'requesters'>
  readonly keys: Pick<KeyStore, 'find'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/**
 * A person or program must not approve their own destructive actions: not with the same key or account, a session of it,
 * or a key or an account created with it. `signed_in` is for people who work alone: a session may approve if it began before the run
 * was created, which a program that reacts to the refusal cannot arrange. Under a rule, the requester never approves.
 *
 * @throws ForbiddenError `approval_by_requester`
 */
export async function requireAnother(
  stores: ApprovalStores,
  checkpoints: readonly Checkpoint[],
  { by, value, signedInAt = Infinity }: AnswerRequest,
  selfApproval: SelfApproval,
): Promise<void> {
  if (!isApproval(value)) return
  const asked = checkpoints.filter(({ path }) => isApprovalPath(path))
  if (asked.length === 0) return
  const { runs } = stores
  const chain = await derivedFrom(stores, by)
  for (const { runUuid, question } of asked) {
    const requesters = await runs.requesters(runUuid)
    const requester =
      chain.find((id) => requesters.includes(id)) ?? (await keyOfSamePerson(stores.keys, requesters, chain))
    if (requester === undefined) continue
    if (selfApproval === 'signed_in' && question.approval?.rule == null) {
      const run = await runs.find('all', runUuid)
      if (run !== undefined && signedInAt < run.createdAt) continue
    }
    throw new ForbiddenError(
      'approval_by_requester',
      requester === by.id
        ? `${whoText(by)} requested the run ${runUuid}, and cannot approve its actions`
        : `${whoText(by)} derives from ${requester}, which requested the run ${runUuid}, and cannot approve its actions`,
      { hint: hints[selfApproval] },
    )
  }
}

/**
 * An approval needs a role with the permission `approvals:write`, and the approval rule of the question may name people among those
 * who have one. Everyone who answers questions may refuse.
 *
 * @throws ForbiddenError `approver_not_allowed`
 */
export function requireApprover(
  checkpoints: readonly Pick<Checkpoint, 'path' | 'organizationUuid' | 'question' | 'counted'>[],
  { by, value, approvingRoles = () => [] }: Pick<AnswerRequest, 'by' | 'value' | 'approvingRoles'>,
  now: number,
): void {
  if (!isApproval(value)) return
  for (const { question, path, organizationUuid, counted = [] } of checkpoints) {
    const { approval } = question
    if (!isApprovalPath(path)) continue
    const roles = approvingRoles(organizationUuid)
    if (roles.length === 0)
      throw new ForbiddenError(
        'approver_not_allowed',
        `${whoText(by)} cannot approve this: it has no role with the permission 'approvals:write' in this organization`,
        { hint: 'ask somebody who has one; anyone who may answer questions can refuse' },
      )
    if (approval === undefined || mayApprove(approval, { id: by.id, roles }, now)) continue
    throw new ForbiddenError(
      'approver_not_allowed',
      `${whoText(by)} cannot approve this: ${allowedText(approval, now)} may; ${approvalsText(approval.needed - counted.length)} missing`,
      { hint: 'ask one of them; anyone who may answer questions can refuse' },
    )
  }
}

/** `approval rule 1 (Containment): anyone with the role admin`, with the people of the escalation once it is due. */
function allowedText({ rule, by, escalation }: ApprovalTerms, now: number): string {
  const text = `${rule === null ? '' : `${ruleText(rule)}: `}${approversText(by)}`
  if (escalation === null) return text
  const later = approversText(escalation.by)
  return now >= escalation.atMs ? `${text}, or ${later}` : `${text}, and later ${later}`
}

const whoText = ({ kind, id, name }: Actor): string =>
  kind === 'account' ? `the account of ${name}` : `the key ${id}`

/** Ids that stand for the same person; see `Approver`. */
export const samePersonIds = async (
  keys: ApprovalStores['keys'],
  { kind, id }: Pick<Actor, 'kind' | 'id'>,
): Promise<readonly string[]> => (kind === 'api_key' ? await holdersOf(keys, id) : [id])

/**
 * The actor, and the keys and people it was created by; a person invited by another one is another person. The creator of a key knows
 * its secret, whoever owns it.
 */
async function derivedFrom(
  { keys, accounts }: Pick<ApprovalStores, 'keys' | 'accounts'>,
  by: Actor,
): Promise<readonly string[]> {
  if (by.kind === 'api_key')
    return [
      ...(await holdersOf(keys, by.id)),
      ...(await holdersOf(keys, by.id, ({ createdBy }) => createdBy)),
    ]
  const createdBy = by.kind === 'account' ? (await accounts.find(by.id))?.createdBy : undefined
  return createdBy?.kind === 'api_key' ? [by.id, ...(await holdersOf(keys, createdBy.id))] : [by.id]
}

/**
 * A requester's key behind which one of these people stands. A key that posts alerts stands for a machine, whoever answers for it.
 */
async function keyOfSamePerson(
  keys: ApprovalStores['keys'],
  requesters: readonly string[],
  people: readonly string[],
): Promise<string | undefined> {
  for (const id of requesters) {
    const key = (await keys.find(id))?.key
    if (key === undefined || key.role === 'intake') continue
    const accounts = (await holdersOf(keys, id)).filter((each) => isAccount(each))
    if (accounts.some((account) => people.includes(account))) return id
  }
  return undefined
}

/** Ids of keys are shorter than uuids of accounts. */
const isAccount = (id: string): boolean => id.length === 36

/**
 * The key and whom it stands for, up to the first key or to an account; includes revoked keys.
 *
 * @param next whom a key stands for. Default: its owner, or else its creator
 */
async function holdersOf(
  keys: ApprovalStores['keys'],
  id: string,
  next: (key: ApiKey) => ReturnType<typeof keyHolder> = keyHolder,
): Promise<readonly string[]> {
  const chain = new Set<string>()
  for (let at: string | undefined = id; at !== undefined && !chain.has(at);) {
    chain.add(at)
    const key: ApiKey | undefined = (await keys.find(at))?.key
    const holder: ReturnType<typeof keyHolder> = key === undefined ? null : next(key)
    if (holder?.kind === 'account') chain.add(holder.id)
    at = holder?.kind === 'api_key' ? holder.id : undefined
  }
  return [...chain]
}

const hints: Readonly<Record<SelfApproval, string>> = {
  never:
    'answer with a key that the requester did not create, e.g. one created with `tocsin keys create` on the server; if you work alone, set TOCSIN_SELF_APPROVAL',
  signed_in:
    'answer with a key that the requester did not create, or at the web page in a session from before the run was requested',
}
