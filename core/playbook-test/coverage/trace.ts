import type { JournalEntry } from '../../domain/run.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { placedSteps, withoutItems, type PlacedStep } from '../read/placed-steps.ts'

/** A step, or an item of one, that ran. */
export interface RanStep {
  /** As in the journal: `each[1]/look`. */
  readonly path: string
  /** Its short name in tests: the id, or `<id>[<item>]`. */
  readonly name: string
}

/**
 * The steps that ran, from the journal: groups before their contents, items in order, otherwise in source
 * order, regardless of timing. Includes groups that the end of the run interrupted, which have no entry.
 */
export function traceOf(playbook: Playbook, entries: readonly JournalEntry[]): readonly RanStep[] {
  const placed = placedSteps(playbook)
  const byPath = new Map(placed.map((each) => [each.path, each]))
  const order = new Map(placed.map((each, index) => [each.path, index]))
  const ran = new Set<string>()
  for (const { path, state } of entries) {
    // A skipped step may have read state in its condition.
    if (state === 'skipped' || path.endsWith('/@state')) continue
    for (const place of placesUpTo(path)) if (byPath.has(withoutItems(place))) ran.add(place)
  }
  return Array.from(ran, (path) => ({ path, key: sortKey(path, order) }))
    .toSorted((a, b) => compareKeys(a.key, b.key))
    .map(({ path }) => ({ path, name: nameOf(path, byPath) }))
}

/** The trace as text: `found → sources → sources[0] → bad`. */
export function showTrace(trace: readonly RanStep[]): string {
  return trace.length === 0 ? 'nothing ran' : trace.map(shown).join(' → ')
}

/** An item nested in another item needs its whole path. */
const shown = ({ path, name }: RanStep): string => (/(?:\]|#\d+)\//.test(path) ? path : name)

/** `a[0]/b` is in `a[0]`, which is an item of `a`. */
function placesUpTo(path: string): readonly string[] {
  const places: string[] = []
  let prefix = ''
  for (const segment of path.split('/')) {
    const step = withoutItems(segment)
    if (step !== segment) places.push(prefix + step)
    places.push(prefix + segment)
    prefix += `${segment}/`
  }
  return places
}

function nameOf(path: string, byPath: ReadonlyMap<string, PlacedStep>): string {
  const id = byPath.get(withoutItems(path))?.step.id
  return id === null || id === undefined ? path : id + (/(?:\[\d+\]|#\d+)+$/.exec(path)?.[0] ?? '')
}

/** Position of the step and index of the item, for each segment. */
function sortKey(path: string, order: ReadonlyMap<string, number>): readonly number[] {
  const key: number[] = []
  let prefix = ''
  for (const segment of path.split('/')) {
    const [, item] = /\[(\d+)\]/.exec(segment) ?? []
    const [, time] = /#(\d+)$/.exec(segment) ?? []
    prefix = prefix === '' ? segment : `${prefix}/${segment}`
    // Error handlers come after the steps they handle, `finally` comes last.
    const place = segment.startsWith('@') ? Infinity : (order.get(withoutItems(prefix)) ?? 0)
    key.push(place, Number(item ?? -1), Number(time ?? -1))
  }
  return key
}

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    if (a[at] !== b[at]) return a[at]! < b[at]! ? -1 : 1
  }
  return a.length - b.length
}
