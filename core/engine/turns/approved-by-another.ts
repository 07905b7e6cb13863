import { approvalsText, approversText, mayApprove, ruleText } from '../../destructive/approval-rules.ts'
import type { ApprovalTerms } from '../../domain/destructive-use.ts'
import { holdersOf, keysById, type KeyHolder } from '../../access/key-holders.ts'
import type { ApiKey } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { ForbiddenError } from '../../errors/errors.ts'
import type { AccountStore } from '../../ports/access/account-store.ts'
import type { KeyStore } from '../../ports/access/key-store.ts'
import type { RunRequester, RunStore } from '../../ports/runs/run-store.ts'
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
  readonly keys: Pick<KeyStore, 'list' | 'listBefore'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/**
 * A person or program must not approve their own destructive actions: not with the same key or account, a session of it,
 * a key whose secret they know, or an account created with their key. `signed_in` is for people who work alone: a session may approve if it began before the run
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
  const keys = keysById(await stores.keys.list())
  const chain = await derivedFrom(stores, keys, by)
  for (const { runUuid, question } of asked) {
    const requesters = await runs.requesters(runUuid)
    const requester =
      chain.find((id) => requesters.some((each) => each.id === id)) ??
      (await keyOfSamePerson(stores.keys, keys, requesters, chain))
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

/** The ids of the person who answers, see `Approver`; undefined if none of these questions is an approval. */
export async function samePersonIds(
  keys: ApprovalStores['keys'],
  asked: readonly Pick<Checkpoint, 'path'>[],
  { by }: Pick<AnswerRequest, 'by'>,
): Promise<readonly string[] | undefined> {
  if (!asked.some(({ path }) => isApprovalPath(path))) return undefined
  return by.kind === 'api_key' ? holdersOf(keysById(await keys.list()), by).map(({ id }) => id) : [by.id]
}

/**
 * Those for whom the actor acts. A person invited by another one is another person, but whoever has a key knows the links of the accounts
 * that it creates.
 */
async function derivedFrom(
  { accounts }: Pick<ApprovalStores, 'accounts'>,
  keys: ReadonlyMap<string, ApiKey>,
  by: Actor,
): Promise<readonly string[]> {
  const found = new Map<string, KeyHolder>()
  const open: KeyHolder[] = [by]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const holder of holdersOf(keys, next)) {
      if (found.has(holder.id)) continue
      found.set(holder.id, holder)
      const createdBy = holder.kind === 'account' ? (await accounts.find(holder.id))?.createdBy : undefined
      if (createdBy?.kind === 'api_key') open.push(createdBy)
    }
  return [...found.keys()]
}

/**
 * A requester's key that acts for one of these people, or acted for one when it requested the run: whoever could use it then stays
 * a requester when somebody else gets it. A key that posts alerts stands for a machine, whoever answers for it.
 */
async function keyOfSamePerson(
  stored: ApprovalStores['keys'],
  keys: ReadonlyMap<string, ApiKey>,
  requesters: readonly RunRequester[],
  people: readonly string[],
): Promise<string | undefined> {
  for (const { id, at } of requesters) {
    if (keys.get(id)?.role === 'intake') continue
    const holders = [keys, keysById(await stored.listBefore(at))].flatMap((known) =>
      holdersOf(known, { kind: 'api_key', id }),
    )
    if (holders.some((holder) => holder.kind === 'account' && people.includes(holder.id))) return id
  }
  return undefined
}

const hints: Readonly<Record<SelfApproval, string>> = {
  never:
    'answer with a key that the requester did not create, e.g. one created with `tocsin keys create` on the server; if you work alone, set TOCSIN_SELF_APPROVAL',
  signed_in:
    'answer with a key that the requester did not create, or at the web page in a session from before the run was requested',
}
