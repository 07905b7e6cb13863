import type { Step, StepState } from '../../api/types.ts'
import type { NodeMark } from '../../graph/graph-node.tsx'
import { durationText } from '../../parts/time/duration-text.ts'

/** Parts of one step that have places of their own in the journal, such as the asking of a checkpoint. */
const partsOfSteps = /\/@(begin|wait|ask|remind|settle|approval)$/

/**
 * Id of the node of a graph that a step belongs to: its path without items (`[2]`), times (`#3`) and parts of it (`/@ask`); the steps
 * that handle an error of the playbook are called differently in both.
 */
export function nodeOf(path: string): string {
  return path
    .replaceAll(/\[[^\]]*\]|#\d+/g, '')
    .replace(partsOfSteps, '')
    .replace(/^@on_run_error\//, '@on_error/')
}

/** The node of a graph that shows a place: its own, or that of the group or call around it. */
export function shownAt(path: string, ids: ReadonlySet<string>): string | undefined {
  const id = nodeOf(path)
  return [id, ...groupsAround(id).toReversed()].find((each) => ids.has(each))
}

/** What a person wants to see first. */
const worstFirst: readonly StepState[] = ['unknown', 'failed', 'started', 'completed', 'skipped']

/** What became of each node; the groups around what ran were passed, as was the start. */
export function nodeMarks(steps: readonly Step[]): ReadonlyMap<string, NodeMark> {
  const marks = new Map<string, NodeMark>([['@start', passed]])
  const whole = steps.filter(({ path }) => !partsOfSteps.test(path))
  for (const [id, same] of Map.groupBy(whole, ({ path }) => nodeOf(path))) {
    for (const group of groupsAround(id)) if (!marks.has(group)) marks.set(group, passed)
    const state = worstFirst.find((each) => same.some((step) => step.state === each)) ?? 'completed'
    marks.set(id, { state, count: countOf(same), took: tookOf(same) })
  }
  return marks
}

/** How often a step ran. One that is repeated, or runs for each item, has a line of its own for the whole, which is no time more. */
function countOf(same: readonly Step[]): number {
  const paths = new Set(same.map(({ path }) => path))
  const wholes = new Set([...paths].flatMap((path) => partOf(path) ?? []))
  return [...paths].filter((path) => !wholes.has(path)).length
}

/** `a[2]#3` is a time of `a[2]`, and that an item of `a`. */
function partOf(path: string): readonly string[] | undefined {
  const end = /(?:\[[^\]]*\]|#\d+)+$/.exec(path)?.[0]
  if (end === undefined) return undefined
  const ends = end.match(/\[[^\]]*\]|#\d+/g) ?? []
  const step = path.slice(0, -end.length)
  return ends.map((_, index) => step + ends.slice(0, index).join(''))
}

const passed: NodeMark = { state: 'passed', count: 1, took: '' }

/** `a/0/b` stands in `a/0` and in `a`; where these are parallel, their branches meet in `a/@join`. */
function groupsAround(id: string): readonly string[] {
  const parts = id.split('/')
  return parts.slice(1).flatMap((_, index) => {
    const group = parts.slice(0, index + 1).join('/')
    return [`${group}/@join`, group]
  })
}

/** From the beginning of the first to the end of the last. */
function tookOf(steps: readonly Step[]): string {
  const ends = steps.map(({ ended_at: end }) => end)
  if (ends.includes(null)) return ''
  const from = Math.min(...steps.map((step) => step.started_at))
  return durationText(Math.max(...ends.map(Number)) - from)
}
