import { wordFor, type Author } from '../../../domain/audit.ts'
import type { CheckpointAnswer, QuestionGroup } from '../../../domain/checkpoint.ts'
import { maskAt, maskOf, type Mask } from '../../../domain/mask.ts'
import { personName } from '../../../playbook/language/constants.ts'
import type { CheckpointStep, Template } from '../../../playbook/language/playbook.ts'
import type { AskedPeople } from '../../../playbook/waits/waits.ts'
import { decide, type QuorumDecision, type QuorumRule } from '../../../transitions/quorum.ts'
import type { PureResult, WorkOutcome } from '../../journal/durable-context.ts'
import { itemPath, peoplePath, personPath } from '../../journal/paths.ts'
import { templateDurationMs } from '../../scope/evaluate.ts'
import { fromOutcome, joined, type Failed, type Flow } from '../../scope/flow.ts'
import { advance, fork, isOver, withLocals, type StepScope } from '../../scope/scope.ts'
import { limited } from '../limited.ts'
import { rememberResult, type Walk } from '../walk.ts'
import { askPerson } from './ask-person.ts'
import { peopleToAsk, type PeopleToAsk } from './people-to-ask.ts'

/** Asks one person, or several and waits for their decision. */
export async function runCheckpoint(
  walk: Walk,
  step: CheckpointStep,
  path: string,
  scope: StepScope,
): Promise<Flow> {
  if (hasPeople(step)) return await runPeople(walk, step, path, scope)
  const outcome = await askPerson(walk, step, path, scope, {
    answered: (answer, byName) => ({ state: 'completed', output: answerOf(answer, byName) }),
    timedOut: (atMs) =>
      step.onTimeout ? { state: 'completed', output: silentAnswer(step.onTimeout.answer, atMs) } : late(path),
    output: step.sensitive?.output,
  })
  if (!('endedAt' in outcome)) return outcome
  advance(scope, outcome.endedAt)
  return fromOutcome(outcome, path)
}

type PeopleStep = CheckpointStep & { readonly people: AskedPeople<Template> }

const hasPeople = (step: CheckpointStep): step is PeopleStep => step.people !== undefined

const late = (path: string): PureResult => ({
  state: 'failed',
  error: { code: 'checkpoint_timeout', message: `'${path}' was not answered in time` },
})

interface GivenAnswer {
  readonly answer: unknown
  readonly by: string
  readonly by_kind: Author['kind']
  readonly by_name?: string
  readonly at: string
  readonly text: string | null
}

const answerOf = ({ value, by, text, at }: CheckpointAnswer, byName: string | null): GivenAnswer => ({
  answer: value,
  by: wordFor(by),
  by_kind: by.kind,
  ...(byName === null ? {} : { by_name: byName }),
  at: timeOf(at),
  text,
})

const silentAnswer = (answer: unknown, atMs: number) => ({ answer, by: null, at: timeOf(atMs), text: null })

const timeOf = (ms: number): string => new Date(ms).toISOString()

/** Asks each person one question, at the same time or after a delay, until their answers decide. */
async function runPeople(walk: Walk, step: PeopleStep, path: string, scope: StepScope): Promise<Flow> {
  const startedAt = scope.thread.nowMs
  const listed = await walk.context.remember({
    path: peoplePath(path),
    stepId: null,
    kind: 'people',
    sensitive: { output: maskOf([['people', maskAt(step.sensitive?.output, 'missing')]]) },
    evaluate: () => ({
      state: 'completed',
      output: peopleToAsk(step.people, templateDurationMs(step.answerWithinMs, scope), scope),
    }),
  })
  advance(scope, listed.endedAt)
  if (listed.state === 'failed') {
    const { error } = listed
    return await rememberResult(walk, step, path, scope, () => ({ state: 'failed', error }), startedAt)
  }
  const people = listed.output as PeopleToAsk
  const rule = ruleOf(step, people)
  const ends = await askAll(walk, step, path, scope, { people, rule, startMs: listed.endedAt })
  for (const end of ends) if ('endedAt' in end) advance(scope, end.endedAt)
  const flows = ends.map((end) => ('endedAt' in end ? fromOutcome(end, path) : end))
  const stop = joined(flows)
  if (stop?.state === 'run_ends') return stop
  const untilMs = listed.endedAt + people.within_ms
  const evaluate = (): PureResult =>
    stop !== undefined && isOver(scope.deadline, scope)
      ? { state: 'failed', error: stop.error }
      : resultOf(step, path, { people, rule, flows, untilMs })
  return await rememberResult(walk, step, path, scope, evaluate, startedAt, step.sensitive?.output)
}

const ruleOf = ({ people, choices }: PeopleStep, { people: asked, needed }: PeopleToAsk): QuorumRule => ({
  people: asked.length,
  needed,
  agree: 'answers' in choices,
  veto: people.veto,
})

interface Questions {
  readonly people: PeopleToAsk
  readonly rule: QuorumRule
  /** When the first people are asked. */
  readonly startMs: number
}

async function askAll(
  walk: Walk,
  step: PeopleStep,
  path: string,
  scope: StepScope,
  { people: { people, after_ms: afterMs, within_ms: withinMs }, rule, startMs }: Questions,
): Promise<readonly (WorkOutcome | Failed)[]> {
  const over = new AbortController()
  const answers: unknown[] = []
  let out = 0
  const note = (end: WorkOutcome | Failed) => {
    if (end.state === 'completed') answers.push((end.output as GivenAnswer).answer)
    else if (end.state === 'failed' && !isEndOfAll(end, scope)) out++
    if (decide(rule, answers, out) !== undefined) over.abort()
  }
  const output = answersMask(step.sensitive?.output)
  return await limited(people.length, people.length, async (place) => {
    const person = people[place]
    const branch = fork(withLocals(scope, { [personName]: person }))
    const group: QuestionGroup = { path, place, ...rule }
    const end = await askPerson(walk, step, itemPath(personPath(path), place), branch, {
      group: {
        group,
        askAtMs: startMs + afterMs[place]!,
        untilMs: startMs + withinMs,
        over: over.signal,
        decided: unanswered,
      },
      answered: (answer, byName) => ({
        state: 'completed',
        output: { person, ...answerOf(answer, byName) },
      }),
      timedOut: unanswered,
      output,
    })
    note(end)
    return end
  })
}

/** The run is cancelled, or the steps around it are out of time. */
const isEndOfAll = (end: WorkOutcome | Failed, { deadline }: StepScope): boolean =>
  end.state === 'failed' &&
  (end.error.code === 'run_cancelled' || ('endedAt' in end && end.endedAt >= deadline.atMs))

const unanswered = (): PureResult => ({ state: 'skipped', output: null })

/** Of one answer. */
function answersMask(output: Mask | undefined): Mask | undefined {
  const answers = maskAt(output, 'answers')
  return answers === true ? true : answers?.items
}

interface Ended {
  readonly people: PeopleToAsk
  readonly rule: QuorumRule
  readonly flows: readonly Flow[]
  readonly untilMs: number
}

function resultOf({ onTimeout }: PeopleStep, path: string, ended: Ended): PureResult {
  const { people, rule, flows, untilMs } = ended
  const answers = flows
    .flatMap((flow) => (flow.state === 'completed' ? [flow.output as GivenAnswer] : []))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const failed = flows.filter((flow) => flow.state === 'failed')
  const given = answers.map(({ answer }) => answer)
  const decision = decide(rule, given, failed.length)
  if (decision?.by === 'split' && failed[0] !== undefined && decide(rule, given) === undefined)
    return { state: 'failed', error: failed[0].error }
  const isUndecided = decision === undefined || decision.by === 'split'
  if (isUndecided && onTimeout === undefined) return undecided(path, rule, decision)
  const answer = isUndecided ? onTimeout?.answer : decision.answer
  return {
    state: 'completed',
    output: {
      ...(rule.agree && { answer }),
      decided_by: decision?.by ?? 'timeout',
      answers,
      missing: people.people.filter((_, place) => flows[place]?.state !== 'completed'),
      at: (decision && answers.at(-1)?.at) ?? timeOf(untilMs),
    },
  }
}

function undecided(path: string, { needed }: QuorumRule, decision: QuorumDecision | undefined): PureResult {
  if (decision === undefined) return late(path)
  const message = `the answers to '${path}' differ, so that no answer can be given by ${needed} people`
  return { state: 'failed', error: { code: 'checkpoint_split', message } }
}
