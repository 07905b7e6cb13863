import type { StepState } from '../../../core/domain/run.ts'
import { stepName } from '../../../core/engine/journal/step-name.ts'
import type { ApiStep, ApiGraph, ApiGraphNode } from '../api/types.ts'
import type { NodeMark } from '../graph/graph-picture.tsx'
import { durationText } from '../parts/time.ts'

const order: readonly StepState[] = ['unknown', 'failed', 'started', 'completed']

/**
 * The most relevant step: an unknown outcome or failure first, else the last one. For groups and calls, the
 * step inside.
 */
export function mostRelevantStep(steps: readonly ApiStep[]): ApiStep | undefined {
  for (const state of order) {
    const ofState = steps.filter((step) => step.state === state)
    let found = ofState.at(-1)
    for (let inner = found; inner !== undefined;) {
      found = inner
      const { path } = inner
      inner = ofState.findLast((step) => isInside(step.path, path))
    }
    if (found !== undefined) return found
  }
  return steps.at(-1)
}

/** Decisions of a person or of the playbook. */
const decisions: ReadonlySet<string> = new Set(['checkpoint', 'switch'])

/**
 * The initial step of an ended run: an unknown outcome or failure, else the first decision, else the first
 * step.
 */
export function initialStep(steps: readonly ApiStep[]): ApiStep | undefined {
  const found = mostRelevantStep(steps)
  if (found?.state !== 'completed') return found
  const done = steps.filter(({ state }) => state === 'completed')
  return done.find(({ kind }) => decisions.has(kind)) ?? done[0]
}

const isInside = (path: string, group: string): boolean =>
  path.length > group.length && path.startsWith(group) && '/[#'.includes(path.charAt(group.length))

/** The line of a step in a playbook. */
export interface StepPlace {
  /** Hash of the version. */
  readonly playbook: string
  readonly line: number
  /** Name, if the run called it. */
  readonly called?: string
}

/** Versions of called playbooks: hashes by name. */
export function calledVersions(steps: readonly ApiStep[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>()
  for (const { path, output } of steps) {
    const { name, hash } = (output ?? {}) as { readonly name?: unknown; readonly hash?: unknown }
    if (typeof name === 'string' && typeof hash === 'string' && path === `@playbooks/${name}`)
      versions.set(name, hash)
  }
  return versions
}

/**
 * The line of a step, also in called playbooks at any depth. Undefined if its graph is missing.
 *
 * @param graphs by the hash of the version
 */
export function stepPlace(
  path: string,
  version: Omit<StepPlace, 'line'>,
  graphs: ReadonlyMap<string, ApiGraph>,
  versions: ReadonlyMap<string, string>,
): StepPlace | undefined {
  const nodes = graphs.get(version.playbook)?.nodes ?? []
  const id = nodeOf(path)
  const own = nodes.find((node) => node.id === id)
  if (own !== undefined) return own.line === null ? undefined : { ...version, line: own.line }
  const call = nodes.find((node) => node.kind === 'call' && id.startsWith(`${node.id}/`))
  if (call === undefined) return undefined
  const called = playbookOf(call)
  const playbook = versions.get(called)
  return playbook === undefined
    ? undefined
    : stepPlace(id.slice(call.id.length + 1), { playbook, called }, graphs, versions)
}

/** The note of a call names the playbook, unless the title does. */
const playbookOf = ({ title, notes }: ApiGraphNode): string =>
  notes.find(({ kind }) => kind === 'skill')?.text ?? title

/** Journal entries that are part of a step. */
const partsOfSteps =
  /(?:\/@(?:begin|rate(?:#\d+)?|wait|ask|remind|settle|approval|choice|output|people|state|until|outputs|(?:call|person)(?:\[\d+\])?))+$/
/** The question to one of several people. */
const toPerson = /\/@person\[\d+\]$/

/**
 * Graph node of a step: its path without items (`[2]`), repeats (`#3`) and parts (`/@ask`). Error handlers
 * have different names in both.
 */
export function nodeOf(path: string): string {
  return path
    .replaceAll(/\[[^\]]*\]|#\d+/g, '')
    .replace(partsOfSteps, '')
    .replace(/^@on_run_error\//, '@on_error/')
}

/** Graph node that shows a step: its own, or the group or call around it. */
export function shownAt(path: string, ids: ReadonlySet<string>): string | undefined {
  const id = nodeOf(path)
  return [id, ...groupsAround(id).toReversed()].find((each) => ids.has(each))
}

/** When a step that waits for its rate limit may start, or stops waiting for an event; null if it does not say. */
export function waitEnd({ input }: Pick<ApiStep, 'input'>): number | null {
  const until = (input as { readonly until_ms?: unknown } | null)?.until_ms
  return typeof until === 'number' ? until : null
}

/** The event that a step waits for, after "Waiting for". */
export function awaitedText({ input }: Pick<ApiStep, 'input'>): string {
  const { for: awaited } = (input ?? {}) as { readonly for?: Awaited }
  if (awaited?.kind !== 'case') {
    const { types, provider } = awaited ?? {}
    const from = provider === undefined || provider === null ? '' : ` from ${provider}`
    return `an alert${types?.length ? ` of type ${types.join(' or ')}` : ''}${from}`
  }
  const found = typeof awaited.caseId === 'string' ? awaited.caseId.toUpperCase() : 'any case'
  const events = awaited.events?.map((event) => event.replaceAll('_', ' ')).join(' or ')
  return `a change of ${found}${events ? ` (${events})` : ''}`
}

interface Awaited {
  readonly kind?: string
  readonly types?: readonly string[] | null
  readonly provider?: string | null
  readonly caseId?: string | null
  readonly events?: readonly string[] | null
}

/** The people whom steps ask, by the path of their question. */
export function peopleOf(steps: readonly ApiStep[]): ReadonlyMap<string, string> {
  const asked = new Map<string, string>()
  for (const { kind, path, output } of steps) {
    const people = kind === 'people' ? (output as { readonly people?: unknown } | null)?.people : undefined
    if (!Array.isArray(people)) continue
    for (const [index, person] of people.entries())
      asked.set(path.replace(/@people$/, `@person[${index}]`), String(person))
  }
  return asked
}

/** Most important first. */
const worstFirst: readonly StepState[] = ['unknown', 'failed', 'started', 'completed', 'skipped']

/** The results of graph nodes. Groups around executed steps, and the start, count as passed. */
export function nodeMarks(steps: readonly ApiStep[]): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>([['@start', passed]])
  const paths = new Set(steps.map(({ path }) => path))
  // While several people are asked, the step itself has no entry.
  const isAsking = (path: string) => toPerson.test(path) && !paths.has(path.replace(toPerson, ''))
  const isHeld = ({ kind, state }: ApiStep) => kind === 'rate' && state === 'started'
  const whole = steps.filter((step) => !partsOfSteps.test(step.path) || isAsking(step.path) || isHeld(step))
  for (const [id, same] of Map.groupBy(whole, ({ path }) => nodeOf(path))) {
    for (const group of groupsAround(id)) if (!marks.has(group)) marks.set(group, passed)
    const state = worstFirst.find((each) => same.some((step) => step.state === each)) ?? 'completed'
    marks.set(id, { state, count: countOf(same), took: tookOf(same) })
  }
  return marks
}

/** Number of executions. The entry for the whole of a foreach or repeat does not count. */
function countOf(same: readonly ApiStep[]): number {
  const paths = new Set(same.map(({ path }) => path))
  const wholes = new Set([...paths].flatMap((path) => partOf(path) ?? []))
  return [...paths].filter((path) => !wholes.has(path)).length
}

/** `a[2]#3` is repeat 3 of item `a[2]` of `a`. */
function partOf(path: string): readonly string[] | undefined {
  const end = /(?:\[[^\]]*\]|#\d+)+$/.exec(path)?.[0]
  if (end === undefined) return undefined
  const ends = end.match(/\[[^\]]*\]|#\d+/g) ?? []
  const step = path.slice(0, -end.length)
  return ends.map((_, index) => step + ends.slice(0, index).join(''))
}

const passed: NodeMark = { state: 'passed', count: 1, took: '' }

/** `a/0/b` is in `a/0` and `a`. Parallel branches join in `a/@join`. */
function groupsAround(id: string): readonly string[] {
  const parts = id.split('/')
  return parts.slice(1).flatMap((_, index) => {
    const group = parts.slice(0, index + 1).join('/')
    return [`${group}/@join`, group]
  })
}

/** From the first start to the last end. */
function tookOf(steps: readonly ApiStep[]): string {
  const ends = steps.map(({ ended_at: end }) => end)
  if (ends.includes(null)) return ''
  const from = Math.min(...steps.map((step) => step.started_at))
  return durationText(Math.max(...ends.map(Number)) - from)
}

/** Texts of a row in the timeline. */
interface RowTexts {
  readonly name: string
  /** Secondary text. */
  readonly about: string
}

/** Steps without an id have a number in the path. */
const isNumbered = (path: string): boolean => /(?:^|\/)\d+(?:\[[^\]]*\]|#\d+)*$/.test(path)

/** Names of steps by the id of their node. */
export type StepNames = ReadonlyMap<string, string>

export const namesIn = (graph: ApiGraph | undefined): StepNames =>
  new Map(graph?.nodes.map(({ id, name }) => [id, name]))

type NamedStep = Pick<ApiStep, 'path' | 'kind'>

/** What people call the step. The playbook knows conditions, which the journal does not have. */
export function nameOfStep({ path, kind }: NamedStep, names: StepNames | undefined): string {
  return (
    (isNumbered(path) && !/[[#]/.test(path) ? names?.get(nodeOf(path)) : undefined) ??
    stepName({ path, kind })
  )
}

/** The step that a wait belongs to. */
export const waitingStepName = ({ path }: Pick<ApiStep, 'path'>): string =>
  stepName({ path: path.replace(partsOfSteps, ''), kind: '' })

/** @param person whom the step asks, if it asks several people */
export function rowTexts(step: NamedStep, person?: string, names?: StepNames): RowTexts {
  const { path, kind } = step
  if (person !== undefined) return { name: lastParts(path.replace(toPerson, '')), about: person }
  const isOwn = !isNumbered(path) && !partsOfSteps.test(path)
  return isOwn
    ? { name: lastParts(path), about: kind }
    : { name: nameOfStep(step, names), about: lastParts(path) }
}

/** The last parts of a long path. */
function lastParts(path: string): string {
  const parts = path.split('/')
  return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path
}

/** Limit of options in a select field. */
export const maxListedSteps = 100

/** How many steps the select field omits; undefined if none. */
export function notListedText(total: number): string | undefined {
  const hidden = total - maxListedSteps
  if (hidden <= 0) return undefined
  return `${hidden.toLocaleString('en')} more not listed: type part of a path or state to find one`
}

/** Undefined if all steps are shown. */
export function notShownText(shown: number, total: number): string | undefined {
  const hidden = total - shown
  if (hidden <= 0) return undefined
  const count = (number: number): string => number.toLocaleString('en')
  return `${count(hidden)} of ${count(total)} steps are not shown: this page has only the first and the newest. The events of the run list all steps.`
}
