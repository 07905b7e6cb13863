import { actionsText, exceededLimitText } from '../../destructive/policy.ts'
import { wordFor } from '../../domain/audit.ts'
import type { ExceededLimit } from '../../domain/destructive-use.ts'
import { viaOperator } from '../../playbook/language/constants.ts'
import { textAt, valueAt, type DestructiveClass } from '../../plugin/index.ts'
import { ask } from './ask.ts'
import type { AskWork, BatchVerdict, BatchWork, EffectWork, WorkOutcome } from '../journal/durable-context.ts'
import { ApprovalRequiredError, perform } from './effect.ts'
import { recordOutcome, type LocalRun } from '../journal/local-run.ts'
import { approvalPath, isApprovalPath } from '../journal/paths.ts'

const approved = 'approve'
/** Approves every later use of the skill in this run: the inputs of a loop are not known in advance. */
export const restApproved = 'approve_rest'

/** Whether the answer approves the use. */
export const isApproval = (answer: unknown): boolean => answer === approved || answer === restApproved

/** A week, if no deadline is earlier. */
const longestWaitMs = 7 * 86_400_000

/** Most characters of inputs shown in one question. */
const maxShown = 256_000

/** The uses to approve. */
interface Wanted {
  readonly path: string
  readonly stepId: string | null
  readonly skill: string
  readonly class: DestructiveClass
  readonly deadlineMs: number
  readonly shielded: boolean
  /** Without sensitive values; undefined if the question was asked before and contains them. */
  readonly inputs: readonly unknown[] | undefined
  readonly held: ExceededLimit | undefined
}

/** Whether a skill is destructive, or was when a person was asked. Other work is performed at once. */
export const mayNeedApproval = (local: LocalRun, { path, destructive }: EffectWork): boolean =>
  destructive !== undefined || local.journal.entry(approvalPath(path)) !== undefined

/**
 * Performs destructive work. If the limit holds back the use, asks a person first. Once asked, the answer
 * decides, even if the limit has room again.
 */
export async function performOrAsk(local: LocalRun, work: EffectWork): Promise<WorkOutcome> {
  const { path, kind, destructive } = work
  const begun = local.journal.entry(path) !== undefined
  if (!begun && destructive?.refused !== undefined) return refuse(local, work, destructive.refused)
  if (!begun && local.journal.entry(approvalPath(path)) !== undefined) return await askFirst(local, work)
  if (!begun && destructive !== undefined && (await isRestApproved(local, kind)))
    return await perform(local, withApproval(work))
  try {
    return await perform(local, work)
  } catch (error) {
    if (!(error instanceof ApprovalRequiredError)) throw error
    return await askFirst(local, work, error)
  }
}

/** `held` is set if the question was not asked yet; later the journal has it. */
async function askFirst(
  local: LocalRun,
  work: EffectWork,
  held?: ApprovalRequiredError,
): Promise<WorkOutcome> {
  const { path, stepId, kind, deadlineMs, shielded, destructive } = work
  if (destructive === undefined) throw new Error(`'${kind}' is not destructive`)
  const inputs = held && [held.input]
  const wanted = { path, stepId, skill: kind, class: destructive.class, deadlineMs, shielded, inputs }
  const verdict = await decide(local, { ...wanted, held: held?.use })
  if (verdict.state === 'refused') return refuse(local, work, verdict.outcome)
  return await perform(local, withApproval(work))
}

const withApproval = (work: EffectWork): EffectWork =>
  work.destructive === undefined ? work : { ...work, destructive: { ...work.destructive, isApproved: true } }

const isRestApproved = async (local: LocalRun, skill: string): Promise<boolean> =>
  local.destructiveLimits !== undefined && (await local.approvedSkills()).has(skill)

/**
 * Loads the skills whose further uses a person approved in this run. Answers carried over from another run
 * have no question here and approve nothing.
 */
export async function loadApprovedSkills(local: LocalRun): Promise<Set<string>> {
  const skills = new Set<string>()
  for (const { path, output } of local.journal.entries()) {
    if (!isApprovalPath(path) || valueAt(output, 'answer') !== restApproved) continue
    const question = await local.checkpoints?.atPath(local.uuid, path)
    const skill = question?.answer?.value === restApproved && textAt(question.question.input, 'skill')
    if (typeof skill === 'string') skills.add(skill)
  }
  return skills
}

/** Counts uses that begin together, and asks one question if they exceed the limit. */
export async function approveBatch(local: LocalRun, work: BatchWork): Promise<BatchVerdict> {
  const { journal, destructiveLimits: limits } = local
  const { uses, stepId, kind: skill, deadlineMs, shielded } = work
  const paths = uses.map(({ path }) => path)
  const wanted = { path: work.path, stepId, skill, class: work.class, deadlineMs, shielded }
  if (journal.entry(approvalPath(work.path)) !== undefined)
    return await decide(local, { ...wanted, inputs: undefined, held: undefined })
  const hasBegun = paths.some((path) => [path, approvalPath(path)].some((each) => journal.entry(each)))
  if (limits === undefined || hasBegun || (await isRestApproved(local, skill))) return { state: 'within' }
  const inputs = uses.map(({ shown }) => shown)
  const held = await journal.reserve({ class: work.class, skill, paths, inputs, limits })
  return held === undefined ? { state: 'within' } : await decide(local, { ...wanted, inputs, held })
}

type Decision = Exclude<BatchVerdict, { readonly state: 'within' }>

async function decide(local: LocalRun, wanted: Wanted): Promise<Decision> {
  const outcome = await ask(local, approvalWork(local, wanted))
  if (outcome.state === 'failed') return { state: 'refused', outcome }
  const { answer, by } = outcome.output as { readonly answer: unknown; readonly by: string }
  const { endedAt } = outcome
  if (answer === restApproved) (await local.approvedSkills()).add(wanted.skill)
  if (isApproval(answer)) return { state: 'approved', endedAt }
  const error = {
    code: 'use_refused',
    message: `${by} refused this use of ${wanted.skill}`,
    hint: `it exceeded the limit of ${wanted.class} actions without approval: see the limits of the organization, or TOCSIN_DESTRUCTIVE_PER_HOUR`,
  }
  return { state: 'refused', outcome: { state: 'failed', error, endedAt } }
}

function refuse(local: LocalRun, { path, stepId, kind }: EffectWork, outcome: WorkOutcome): WorkOutcome {
  const begin = { path, stepId, kind, input: null, attempt: 1, startedAt: outcome.endedAt }
  return recordOutcome(local, begin, outcome)
}

function approvalWork(local: LocalRun, wanted: Wanted): AskWork {
  const { path, stepId, skill, deadlineMs, shielded } = wanted
  return {
    path: approvalPath(path),
    stepId,
    kind: 'checkpoint',
    deadlineMs,
    shielded,
    question: () => ({
      question: {
        via: viaOperator,
        input: questionInput(wanted),
        answers: [approved, ...(isInLoop(path) ? [restApproved] : []), 'refuse'],
        form: null,
      },
      withinMs: Math.min(longestWaitMs, deadlineMs - local.clock.now()),
    }),
    onTimeout: { fails: true },
    tell: () => undefined,
    answered: ({ value, by, text, at }) => ({
      state: 'completed',
      output: { answer: value, by: wordFor(by), by_kind: by.kind, text, at },
    }),
    timedOut: () => ({
      state: 'failed',
      error: { code: 'approval_timeout', message: `${skill} was not approved in time` },
    }),
  }
}

/** Whether the same use can occur again: inside an item of `foreach` or an iteration of `repeat`. */
const isInLoop = (path: string): boolean => /(\[\d+\]|#\d+)(\/|$)/.test(path)

/** A single use shows its input, several show a list. */
function questionInput({ path, skill, class: kind, inputs = [], held }: Wanted) {
  const rest = isInLoop(path)
  const count = inputs.length
  const shown = upTo(maxShown, inputs)
  const [which, below] =
    count === 1
      ? [`this use of ${skill}`, 'the input below']
      : [`these ${actionsText(count, kind)} of ${skill}`, shownText(shown.length, count)]
  return {
    message: `${held === undefined ? '' : `${exceededLimitText(held)}. `}Approve ${which}, with ${below}?${rest ? restText(skill) : ''}`,
    skill,
    class: kind,
    count,
    ...(count === 1 ? { input: inputs[0] ?? null } : { inputs: shown }),
    labels: {
      approve: count === 1 ? 'Approve this use' : `Approve all ${count}`,
      ...(rest && { approve_rest: `Approve every further use of ${skill} in this run` }),
      refuse: count === 1 ? 'Refuse it' : `Refuse all ${count}`,
    },
    styles: { approve: 'danger', ...(rest && { approve_rest: 'danger' }) },
  }
}

const restText = (skill: string): string =>
  ` The step is in a loop: you can also approve this and every further use of ${skill} in this run, whatever its input.`

const shownText = (shown: number, count: number): string =>
  shown === count ? 'the inputs below' : `the inputs below (the first ${shown} of ${count})`

/** The first inputs that fit. */
function upTo(characters: number, inputs: readonly unknown[]): readonly unknown[] {
  let left = characters
  const end = inputs.findIndex((input) => (left -= JSON.stringify(input ?? null).length) < 0)
  return end === -1 ? inputs : inputs.slice(0, end)
}
