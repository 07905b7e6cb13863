import { randomBytes } from 'node:crypto'
import { inputHash, type BoundConnection } from '../../destructive/input-hash.ts'
import type { SkillText } from '../../destructive/skill-text.ts'
import { wordFor } from '../../domain/audit.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import type { ApprovalTerms } from '../../domain/destructive-use.ts'
import { textAt, valueAt, type DestructiveClass } from '../../plugin/index.ts'
import { approvingAnswers, isApproval, refusedItems } from '../../transitions/question.ts'
import type { AskWork, BatchVerdict, BatchWork, EffectWork, WorkOutcome } from '../journal/durable-context.ts'
import { recordOutcome, type LocalRun } from '../journal/local-run.ts'
import { approvalPath, isApprovalPath } from '../journal/paths.ts'
import { plainJson } from '../journal/plain-json.ts'
import { approvalQuestion, type AskedUses } from './approval-question.ts'
import { ask } from './ask.ts'
import { ApprovalRequiredError } from './attempt.ts'
import { perform } from './effect.ts'

/** The uses to approve, as they are now. */
interface Wanted {
  readonly path: string
  readonly stepId: string | null
  readonly skill: string
  readonly class: DestructiveClass
  readonly text?: SkillText | undefined
  readonly deadlineMs: number
  readonly shielded: boolean
  /** With sensitive values. */
  readonly exact: readonly unknown[]
  /** Without them. */
  readonly shown: readonly unknown[]
  readonly isSensitive: boolean
  readonly connection: BoundConnection | undefined
}

/** Whether a skill is destructive, or was when a person was asked. Other work is performed at once. */
export const mayNeedApproval = (local: LocalRun, { path, destructive }: EffectWork): boolean =>
  destructive !== undefined || local.journal.entry(approvalPath(path)) !== undefined

/**
 * Performs destructive work. If a rule or the limit holds back the use, asks people first. Once asked, their answer
 * decides, even if the limit has room again or the rules have changed.
 */
export async function performOrAsk(local: LocalRun, work: EffectWork): Promise<WorkOutcome> {
  const { path, kind, destructive } = work
  const begun = local.journal.entry(path) !== undefined
  if (!begun && destructive?.refused !== undefined) return refuse(local, work, destructive.refused)
  if (!begun && local.journal.entry(approvalPath(path)) !== undefined) return await askFirst(local, work)
  const batched = begun ? undefined : destructive?.batched
  if (batched !== undefined) {
    const { terms, connection } = batched
    const isSame = terms === undefined || (await destructive?.connection?.())?.identity === connection
    return isSame
      ? await perform(local, approvedWork(work, 'use'))
      : await askFirst(local, work, { earlier: terms })
  }
  const isOfRest = !begun && (await isRestApproved(local, kind))
  try {
    return await perform(local, isOfRest ? approvedWork(work, 'rest') : work)
  } catch (error) {
    if (!(error instanceof ApprovalRequiredError)) throw error
    return await askFirst(local, work, error.use)
  }
}

/** `why` is set if the question was not asked yet; later the journal has it. */
async function askFirst(local: LocalRun, work: EffectWork, why?: Why): Promise<WorkOutcome> {
  const { path, stepId, kind, deadlineMs, shielded, destructive } = work
  if (destructive === undefined) throw new Error(`'${kind}' is not destructive`)
  const approved = approvedWork(work, 'use')
  let exact: unknown
  try {
    exact = plainJson(work.input())
  } catch {
    // The step fails with this error.
    return await perform(local, approved)
  }
  const shown = [destructive.shown(exact)]
  const isSensitive = work.sensitive?.input !== undefined
  const wanted = { path, stepId, skill: kind, deadlineMs, shielded, exact: [exact], shown, isSensitive }
  const { class: of, text } = destructive
  const connection = await destructive.connection?.()
  const verdict = await decide(local, { ...wanted, class: of, text, connection }, why)
  if (verdict.state === 'refused') return refuse(local, work, verdict.outcome)
  return await perform(local, { ...approved, input: () => exact })
}

const approvedWork = (work: EffectWork, approved: 'use' | 'rest'): EffectWork =>
  work.destructive === undefined ? work : { ...work, destructive: { ...work.destructive, approved } }

const isRestApproved = async (local: LocalRun, skill: string): Promise<boolean> =>
  local.destructiveLimits !== undefined && (await local.approvedSkills()).has(skill)

/**
 * Loads the skills whose further uses a person approved in this run. Answers carried over from another run
 * have no question here and approve nothing.
 */
export async function loadApprovedSkills(local: LocalRun): Promise<Set<string>> {
  const skills = new Set<string>()
  for (const { path, output } of local.journal.entries()) {
    if (!isApprovalPath(path) || valueAt(output, 'answer') !== approvingAnswers.rest) continue
    const question = await local.checkpoints?.atPath(local.uuid, path)
    const skill =
      question?.answer?.value === approvingAnswers.rest && textAt(question.question.input, 'skill')
    if (typeof skill === 'string') skills.add(skill)
  }
  return skills
}

/** Counts uses that begin together, and asks one question if they must wait for an approval. */
export async function approveBatch(local: LocalRun, work: BatchWork): Promise<BatchVerdict> {
  const { journal, destructiveLimits: limits, approvalRules: rules } = local
  const { uses, stepId, kind: skill, deadlineMs, shielded } = work
  const paths = uses.map(({ path }) => path)
  const shown = uses.map((use) => use.shown)
  const asWanted = async (): Promise<Wanted> => ({
    path: work.path,
    stepId,
    skill,
    class: work.class,
    text: work.text,
    deadlineMs,
    shielded,
    exact: uses.map(({ input }) => plainJson(input)),
    shown,
    isSensitive: work.sensitive?.input !== undefined,
    connection: await work.connection?.(),
  })
  if (journal.entry(approvalPath(work.path)) !== undefined) return await decide(local, await asWanted())
  const hasBegun = paths.some((path) => [path, approvalPath(path)].some((each) => journal.entry(each)))
  if (limits === undefined || hasBegun) return { state: 'within' }
  const checks = {
    limits,
    rules,
    implements: work.implements,
    isRestApproved: await isRestApproved(local, skill),
  }
  const held = await journal.reserve({ class: work.class, skill, paths, inputs: shown, checks })
  return held === undefined ? { state: 'within' } : await decide(local, await asWanted(), held)
}

/** The answer to one question. */
type OneVerdict =
  | Omit<Extract<BatchVerdict, { readonly state: 'approved' }>, 'approval'>
  | Extract<BatchVerdict, { readonly state: 'refused' }>
type Why = AskedUses['why']
type Decision = Exclude<BatchVerdict, { readonly state: 'within' }>

/** Asks until an answer is about exactly these inputs: what was approved may have changed meanwhile. */
async function decide(local: LocalRun, wanted: Wanted, first?: Why): Promise<Decision> {
  let why = first
  for (let number = 0; ; number++) {
    const path = approvalPath(wanted.path, number)
    const verdict = await decideOnce(local, wanted, path, why)
    if (verdict.state === 'refused') return verdict
    const asked = await askedAt(local, path)
    if (asked === undefined || asked.terms.inputHash === inputHash(usesOf(wanted), asked.salt))
      return {
        ...verdict,
        approval: { terms: asked?.terms, connection: wanted.connection?.identity },
      }
    why = { earlier: asked.terms }
  }
}

const usesOf = ({ skill, connection, exact }: Wanted) => ({ skill, connection, inputs: exact })

/** The recorded question; undefined if it does not say what exactly it is about. */
async function askedAt(
  local: LocalRun,
  path: string,
): Promise<{ readonly terms: ApprovalTerms; readonly salt: string | undefined } | undefined> {
  const entry = local.journal.entry(path) ?? (await local.journal.refresh(path))
  const terms = valueAt(valueAt(entry?.input, 'question'), 'approval') as ApprovalTerms | undefined
  return terms && { terms, salt: textAt(entry?.input, 'salt') ?? undefined }
}

async function decideOnce(
  local: LocalRun,
  wanted: Wanted,
  path: string,
  why: Why | undefined,
): Promise<OneVerdict> {
  const outcome = await ask(local, approvalWork(local, wanted, path, why))
  if (outcome.state === 'failed') return { state: 'refused', outcome }
  const { answer, by, refused_items: refused = [] } = outcome.output as ApprovalOutput
  const { endedAt } = outcome
  if (answer === approvingAnswers.rest) (await local.approvedSkills()).add(wanted.skill)
  const refusedBy = (who: string): WorkOutcome => ({
    state: 'failed',
    error: {
      code: 'use_refused',
      message: `${who} refused this use of ${wanted.skill}`,
      hint: 'it needed an approval: see the limits and the approval rules of the organization',
    },
    endedAt,
  })
  if (!isApproval(answer)) return { state: 'refused', outcome: refusedBy(by) }
  const items = new Map(refused.map(({ item, by: who }) => [item, refusedBy(who)]))
  return { state: 'approved', endedAt, refusedItems: items }
}

/** The recorded output of the question. */
interface ApprovalOutput {
  readonly answer: unknown
  readonly by: string
  /** Actions that one of the approvers refused. Default: none. */
  readonly refused_items?: readonly { readonly item: number; readonly by: string }[]
}

function refuse(local: LocalRun, { path, stepId, kind }: EffectWork, outcome: WorkOutcome): WorkOutcome {
  const begin = { path, stepId, kind, input: null, attempt: 1, startedAt: outcome.endedAt }
  return recordOutcome(local, begin, outcome)
}

/** Random, because sensitive inputs such as a PIN are easy to guess. */
const newSalt = (): string => randomBytes(32).toString('base64url')

function approvalWork(local: LocalRun, wanted: Wanted, path: string, why: Why | undefined): AskWork {
  const { stepId, skill, deadlineMs, shielded, isSensitive } = wanted
  return {
    path,
    stepId,
    kind: 'checkpoint',
    ...(isSensitive && { sensitive: { input: { fields: { salt: true } } } }),
    deadlineMs,
    shielded,
    question() {
      if (why === undefined) throw new Error(`the question ${path} is not recorded`)
      const salt = isSensitive ? newSalt() : undefined
      const asked = {
        ...wanted,
        inputs: wanted.shown,
        inputHash: inputHash(usesOf(wanted), salt),
        connection: wanted.connection?.name ?? null,
        why,
      }
      const now = local.clock.now()
      const { question, withinMs } = approvalQuestion(asked, now)
      return { question, withinMs: Math.min(withinMs, deadlineMs - now), salt }
    },
    onTimeout: { fails: true },
    tell: () => undefined,
    answered: ({ value, by, text, at }, _byName, { counted = [], answer }) => {
      const approvals = [...counted, ...(answer === null ? [] : [answer])]
      const refused = refusedItems(approvals)
      return {
        state: 'completed',
        output: {
          answer: value,
          by: wordFor(by),
          by_kind: by.kind,
          text,
          at,
          ...(counted.length > 0 && { approved_by: approvals.map(approvalOutput) }),
          ...(refused.length > 0 && { refused_items: refused.map((item) => itemOutput(item, approvals)) }),
        },
      }
    },
    timedOut: () => ({
      state: 'failed',
      error: { code: 'approval_timeout', message: `${skill} was not approved in time` },
    }),
  }
}

type Given = NonNullable<Checkpoint['answer']>

const approvalOutput = ({ by, at }: Given) => ({ by: wordFor(by), by_kind: by.kind, at })

const itemOutput = (item: number, approvals: readonly Given[]) => ({
  item,
  by: wordFor(approvals.find(({ refusedItems: refused }) => refused?.includes(item) === true)!.by),
})
