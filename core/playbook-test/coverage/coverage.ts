import type { JournalEntry } from '../../domain/run.ts'
import type { CheckpointStep, SourcePlace, Playbook, Step } from '../../playbook/language/playbook.ts'
import type { AskedPeople } from '../../playbook/waits/waits.ts'
import { placedSteps, withoutItems } from '../read/placed-steps.ts'
import type { CalledByName } from '../read/playbook-test.ts'

/** A branch of a playbook that a test can cover. */
export interface Branch {
  /** Path of the step and name of the branch: unique in the playbook. */
  readonly key: string
  /** `links: foreach without items`. */
  readonly label: string
  /** Place of the step in the playbook. */
  readonly place: SourcePlace
}

/** All branches, in source order. */
export function branchesOf(playbook: Playbook): readonly Branch[] {
  return placedSteps(playbook).flatMap(({ path, step }) =>
    waysOf(step).map(([way, label]) => ({
      key: keyOf(path, way),
      label: `${nameOf(step, path)}: ${label}`,
      place: step.place,
    })),
  )
}

const keyOf = (path: string, way: string): string => `${path} ${way}`

const nameOf = (step: Step, path: string): string =>
  step.id ?? step.name ?? (step.action === 'uses' ? `${path} (${step.skill})` : `${path} (${step.action})`)

type Way = readonly [way: string, label: string]

function waysOf(step: Step): readonly Way[] {
  const ways: Way[] = [['run', 'runs']]
  if (step.if !== undefined) ways.push(['skip', '`if` is false'])
  if (step.foreach !== undefined) {
    // A literal list of items is never empty.
    if (step.foreach.items.kind !== 'literal') ways.push(['empty', '`foreach` without items'])
    ways.push(['items', '`foreach` with items'])
    if (step.foreach.onItemError === 'continue') ways.push(['item_error', '`on_item_error`'])
  }
  if (step.repeat !== undefined) {
    ways.push(['until', '`until` holds'], ['again', '`until` does not hold the first time'])
    ways.push(['exhausted', '`until` never holds, up to `max` times'])
  }
  if (step.onError !== 'fail') ways.push(['error', '`on_error`'])
  if (step.action === 'switch') {
    for (const [index, { when }] of step.cases.entries()) {
      ways.push([`case ${index}`, `case ${index + 1}, when ${when.source}`])
    }
    ways.push(['else', step.else.length > 0 ? '`else`' : 'no case holds'])
  }
  if (step.action === 'checkpoint') ways.push(...answersOf(step))
  if (step.action === 'wait' && 'event' in step.wait)
    ways.push(
      ['event', 'the event arrives'],
      ['timeout', step.wait.event.continues ? '`on_timeout`' : 'no event in time'],
    )
  return ways
}

/** The possible results of a question. */
function answersOf({ choices, onTimeout, people }: CheckpointStep): readonly Way[] {
  const answers: readonly Way[] =
    'answers' in choices
      ? choices.answers.map((answer) => [`answer ${answer}`, `answer ${answer}`])
      : [['answer', 'the form is filled in']]
  const late = onTimeout === undefined ? 'no answer in time' : '`on_timeout`'
  const split = onTimeout === undefined ? 'the answers differ' : '`on_timeout`, as the answers differ'
  const mayDiffer = people !== undefined && 'answers' in choices && canSplit(people, choices.answers)
  return [...answers, ...(mayDiffer ? [['split', split] as const] : []), ['timeout', late]]
}

/** Whether people can answer so that nothing is decided: with two answers that do not decide alone, and more than one person needed. */
const canSplit = ({ quorum, veto }: AskedPeople<unknown>, answers: readonly string[]): boolean =>
  quorum !== 'any' && quorum !== 1 && answers.filter((answer) => !veto.includes(answer)).length > 1

/** The keys of the branches that a run took. */
export function branchesTaken(playbook: Playbook, entries: readonly JournalEntry[]): ReadonlySet<string> {
  const taken = new Set<string>()
  const byPlace = Map.groupBy(entries, (entry) => withoutItems(entry.path))
  for (const { path, step } of placedSteps(playbook)) {
    const own = byPlace.get(path) ?? []
    // The end of a run interrupts groups, which are recorded after their steps.
    const inside = entries.filter((entry) => withoutItems(entry.path).startsWith(`${path}/`))
    for (const way of takenWays(step, path, own, inside)) taken.add(keyOf(path, way))
  }
  return taken
}

function takenWays(
  step: Step,
  path: string,
  own: readonly JournalEntry[],
  inside: readonly JournalEntry[],
): readonly string[] {
  const ran = own.filter((entry) => entry.state !== 'skipped')
  const ways: string[] = []
  if (ran.length > 0 || inside.length > 0) ways.push('run')
  if (own.some((entry) => entry.state === 'skipped')) ways.push('skip')
  const items = ran.filter((entry) => isItem(entry.path))
  const wholes = ran.filter((entry) => !/(?:\[\d+\]|#\d+)$/.test(entry.path))
  if (step.foreach !== undefined) {
    if (items.length > 0 || inside.some((entry) => isItemOf(entry.path, path))) ways.push('items')
    if (wholes.some((entry) => isRecordOf(entry, 'items', 0))) ways.push('empty')
    if (items.some((entry) => entry.state === 'failed')) ways.push('item_error')
  }
  if (step.repeat !== undefined) ways.push(...takenRounds(path, ran, inside))
  if (wholes.some((entry) => entry.state === 'failed')) ways.push('error')
  if (step.action === 'switch') ways.push(...takenCases(step.cases.length, path, ran, inside))
  if (step.action === 'checkpoint') ways.push(...ran.flatMap((entry) => answerTaken(step, entry)))
  if (step.action === 'wait' && 'event' in step.wait) ways.push(...ran.flatMap(eventTaken))
  return ways
}

/** A `repeat` has its own record beside those of its repetitions, also for each item. */
function takenRounds(
  path: string,
  ran: readonly JournalEntry[],
  inside: readonly JournalEntry[],
): readonly string[] {
  const depth = path.split('/').length
  const timeOf = (entry: JournalEntry) => Number(/#(\d+)$/.exec(entry.path.split('/')[depth - 1]!)?.[1] ?? 0)
  const wholes = ran.filter((entry) => timeOf(entry) === 0)
  const ways: string[] = []
  if (wholes.some(({ state, output }) => state === 'completed' && hasTimes(output))) ways.push('until')
  if ([...ran, ...inside].some((entry) => timeOf(entry) > 1)) ways.push('again')
  if (wholes.some(({ error }) => error?.code === 'repeat_exhausted')) ways.push('exhausted')
  return ways
}

/** Excludes the output of a `foreach`. */
const hasTimes = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && Object.hasOwn(output, 'times')

/** An answer from `on_timeout` has no responder. */
function answerTaken({ choices }: CheckpointStep, { state, output, error }: JournalEntry): readonly string[] {
  if (state === 'failed') {
    if (error?.code === 'checkpoint_split') return ['split']
    return error?.code === 'checkpoint_timeout' ? ['timeout'] : []
  }
  if (state !== 'completed') return []
  const { answer, by, decided_by: decidedBy } = (output ?? {}) as Readonly<Record<string, unknown>>
  if (decidedBy === 'split' || decidedBy === 'timeout') return [decidedBy]
  if (by === null) return ['timeout']
  return ['form' in choices ? 'answer' : `answer ${String(answer)}`]
}

function eventTaken({ state, output, error }: JournalEntry): readonly string[] {
  if (state === 'failed') return error?.code === 'event_timeout' ? ['timeout'] : []
  return isTimedOut(output) ? ['timeout'] : ['event']
}

const isTimedOut = (output: unknown): boolean =>
  typeof output === 'object' && output !== null && 'timed_out' in output && output.timed_out === true

function takenCases(
  count: number,
  path: string,
  ran: readonly JournalEntry[],
  inside: readonly JournalEntry[],
): readonly string[] {
  const within = (name: string) =>
    inside.some((entry) => withoutItems(entry.path).startsWith(`${path}/${name}/`))
  const cases = Array.from({ length: count }, (_, index) => index).filter((index) => within(String(index)))
  const isElse = within('else') || ran.some((entry) => isRecordOf(entry, 'case', null))
  return [...cases.map((index) => `case ${index}`), ...(isElse ? ['else'] : [])]
}

const isItem = (path: string): boolean => /\[\d+\]$/.test(path)

/** Whether the path leads through an item of the step. */
function isItemOf(path: string, step: string): boolean {
  const segments = step.split('/').length
  return isItem(path.split('/').slice(0, segments).join('/'))
}

function isRecordOf({ output }: JournalEntry, name: string, value: unknown): boolean {
  if (typeof output !== 'object' || output === null || !Object.hasOwn(output, name)) return false
  return (output as Readonly<Record<string, unknown>>)[name] === value
}

export interface Coverage {
  readonly taken: number
  readonly total: number
  readonly missing: readonly Branch[]
}

/** `unreachable` holds the keys of branches that do not count. */
export function coverageOf(
  playbook: Playbook,
  taken: ReadonlySet<string>,
  unreachable: ReadonlySet<string> = new Set(),
): Coverage {
  const branches = branchesOf(playbook).filter(({ key }) => !unreachable.has(key))
  const missing = branches.filter(({ key }) => !taken.has(key))
  return { taken: branches.length - missing.length, total: branches.length, missing }
}

/** The branches that a run took in a called playbook. */
export interface CalledCoverage {
  /** Content hash of the called playbook. */
  readonly hash: string
  /** Keys of its branches. */
  readonly taken: ReadonlySet<string>
}

/** The coverage of each call, also inside called playbooks. */
export function calledCoverage(
  playbook: Playbook,
  entries: readonly JournalEntry[],
  called: CalledByName,
): readonly CalledCoverage[] {
  return placedSteps(playbook).flatMap(({ path, step }) => {
    const callee = step.action === 'call' ? called.get(step.playbook) : undefined
    const inside = callee === undefined ? [] : entriesInside(path, entries)
    if (callee === undefined || inside.length === 0) return []
    const own = { hash: callee.hash, taken: branchesTaken(callee, inside) }
    return [own, ...calledCoverage(callee, inside, called)]
  })
}

/** The entries inside a call, with their paths relative to the called playbook. */
function entriesInside(path: string, entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const depth = path.split('/').length
  return entries
    .filter((entry) => withoutItems(entry.path).startsWith(`${path}/`))
    .map((entry) => ({ ...entry, path: entry.path.split('/').slice(depth).join('/') }))
}
