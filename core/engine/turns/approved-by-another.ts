import { approvalsText, approversText, mayApprove, ruleText } from '../../destructive/approval-rules.ts'
import type { ApprovalTerms, Approver } from '../../domain/destructive-use.ts'
import type { Author, Actor } from '../../domain/audit.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { ForbiddenError } from '../../errors/errors.ts'
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
}

/**
 * A program with an API key must not approve its own destructive actions: not with that key, a session of it, or a
 * key created from it. `signed_in` is for people who work alone: a session may approve if it began before the run
 * was created, which a program that reacts to the refusal cannot arrange. Under a rule, the requester never approves.
 *
 * @throws ForbiddenError `approval_by_requester`
 */
export async function requireAnother(
  { runs, keys }: ApprovalStores,
  checkpoints: readonly Checkpoint[],
  { by, value, signedInAt = Infinity }: AnswerRequest,
  selfApproval: SelfApproval,
): Promise<void> {
  if (by.kind !== 'api_key' || !isApproval(value)) return
  const asked = checkpoints.filter(({ path }) => isApprovalPath(path))
  if (asked.length === 0) return
  const chain = await makersOf(keys, by.id)
  for (const { runUuid, question } of asked) {
    const requesters = await runs.requesters(runUuid)
    const requester = chain.find((id) => requesters.includes(id))
    if (requester === undefined) continue
    if (selfApproval === 'signed_in' && question.approval?.rule == null) {
      const run = await runs.find('all', runUuid)
      if (run !== undefined && signedInAt < run.createdAt) continue
    }
    throw new ForbiddenError(
      'approval_by_requester',
      requester === by.id
        ? `the key ${by.id} requested the run ${runUuid}, and cannot approve its actions`
        : `the key ${by.id} derives from the key ${requester}, which requested the run ${runUuid}, and cannot approve its actions`,
      { hint: hints[selfApproval] },
    )
  }
}

/**
 * The approval rule of a question says who may approve it.
 *
 * @throws ForbiddenError `approver_not_allowed`
 */
export async function requireApprover(
  { keys }: Pick<ApprovalStores, 'keys'>,
  checkpoints: readonly Checkpoint[],
  { by, value }: Pick<AnswerRequest, 'by' | 'value'>,
  now: number,
): Promise<void> {
  if (!isApproval(value)) return
  const approver = await approverOf(keys, by)
  for (const { question, path, counted = [] } of checkpoints) {
    const { approval } = question
    if (approval === undefined || !isApprovalPath(path) || mayApprove(approval, approver, now)) continue
    throw new ForbiddenError(
      'approver_not_allowed',
      `the key ${by.id} cannot approve this: ${allowedText(approval, now)} may; ${approvalsText(approval.needed - counted.length)} missing`,
      { hint: 'answer with a key that may approve; anyone who may answer questions can refuse' },
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

/** The actor as approval rules see them. */
async function approverOf(keys: ApprovalStores['keys'], { kind, id }: Actor): Promise<Approver> {
  const role = kind === 'api_key' ? (await keys.find(id))?.key.role : undefined
  return { id, role: role ?? 'reader', sameAs: await samePersonIds(keys, { kind, id }) }
}

/** Ids that stand for the same person; see `Approver`. */
export const samePersonIds = async (
  keys: ApprovalStores['keys'],
  { kind, id }: Pick<Actor, 'kind' | 'id'>,
): Promise<readonly string[]> => (kind === 'api_key' ? await makersOf(keys, id) : [`${kind} ${id}`])

/** The key and its creators, up to the first; includes revoked keys. */
async function makersOf(keys: ApprovalStores['keys'], id: string): Promise<readonly string[]> {
  const chain = new Set<string>()
  for (let next: string | undefined = id; next !== undefined && !chain.has(next);) {
    chain.add(next)
    const createdBy: Author | null | undefined = (await keys.find(next))?.key.createdBy
    next = createdBy?.kind === 'api_key' ? createdBy.id : undefined
  }
  return [...chain]
}

const hints: Readonly<Record<SelfApproval, string>> = {
  never:
    'answer with a key that the requester did not create, e.g. one created with `tocsin keys create` on the server; if you work alone, set TOCSIN_SELF_APPROVAL',
  signed_in:
    'answer with a key that the requester did not create, or at the web page in a session from before the run was requested',
}
