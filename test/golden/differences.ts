import type { JournalEntry } from '../../core/domain/run.ts'
import { stringifyJson } from '../../core/common/json.ts'
import { compareValues } from '../../core/playbook-test/read/compare.ts'
import type { Replayed } from './replay-golden.ts'

/** The compared parts of two runs. */
/** The compared parts of the end of a run. */
const stored = ({ status, output, error }: Replayed['outcome']) => ({ status, output, error })

interface Run extends Pick<Replayed, 'outcome' | 'entries'> {}

/**
 * Differences between the recorded run and that of the current program, in words. `timeless`: calls began
 * again at other times.
 */
export function differences(recorded: Run, given: Run, timeless: boolean): readonly string[] {
  const now = withoutLater(recorded, given)
  const [before, after] = [byPath(recorded.entries), byPath(now.entries)]
  const missing = [...before.keys()].filter((path) => !after.has(path))
  const added = [...after.keys()].filter((path) => !before.has(path))
  const changed = Array.from(before, ([path, entry]) => {
    const other = after.get(path)
    return other === undefined ? [] : both(shown(entry, timeless), shown(other, timeless), path)
  })
  return [
    ...missing.map((path) => `${path}: is not there any more`),
    ...added.map((path) => `${path}: was not there`),
    ...changed.flat(),
    ...both(stored(recorded.outcome), stored(now.outcome), 'the end of the run'),
  ]
}

/** `compare` allows additional entries in a map. */
function both(expected: unknown, got: unknown, where: string): readonly string[] {
  const forth = compareValues(expected, got).map((each) => ({ ...each, was: each.expected, is: each.got }))
  const back = compareValues(got, expected).map((each) => ({ ...each, was: each.got, is: each.expected }))
  const lines = [...forth, ...back].map(
    ({ at, was, is }) => `${[where, ...at].join(' · ')}: was ${was}, is ${is}`,
  )
  return [...new Set(lines)]
}

/** Fields added to answers since some journals were recorded. The older playbooks do not read them. */
const later = ['by_kind']

function withoutLater(recorded: Run, now: Run): Run {
  const before = stringifyJson(recorded)
  const unknown = new Set(later.filter((name) => !before.includes(`"${name}":`)))
  return unknown.size === 0 ? now : (without(now, unknown) as Run)
}

const byPath = (entries: readonly JournalEntry[]) => new Map(entries.map((entry) => [entry.path, entry]))

function shown(entry: JournalEntry, timeless: boolean): object {
  if (!timeless) return entry
  const { startedAt: _, endedAt: __, input, output, ...rest } = entry
  return { ...rest, input: withoutTimes(input), output: withoutTimes(output) }
}

const times: ReadonlySet<string> = new Set(['until_ms', 'at'])

function withoutTimes(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !times.has(name)))
}

function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, names))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !names.has(name))
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, names)]))
}
