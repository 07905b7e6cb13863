import type { JournalEntry, StepState } from '../domain/run.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'

/** A value that the runs of a case found or looked up, with its findings. */
export interface CaseObservable {
  readonly kind: ObservableKind
  readonly value: string
  /** Findings of lookups, newest first. */
  readonly learned: readonly Learned[]
  /** Other steps with the value in their input, newest first. If both lists are empty, it was not looked up. */
  readonly used: readonly ObservableUse[]
}

/** A step other than a lookup with the value in its input, such as a question to the user. */
export interface ObservableUse {
  /** The skill: `<plugin>.<skill>`. */
  readonly source: string
  readonly runUuid: string
  /** Path of the step in the run. */
  readonly path: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly state: Exclude<StepState, 'skipped'>
  /** The step asks a person. */
  readonly isQuestion: boolean
}

/** The finding of a lookup. */
export interface Learned {
  /** The skill: `<plugin>.<skill>`. */
  readonly source: string
  readonly runUuid: string
  /** Path of the step in the run. */
  readonly path: string
  /** Epoch milliseconds. */
  readonly at: number
  /** 0 to 100; null if the source has no risk score or the lookup failed. */
  readonly score: number | null
  /** The source's own word, such as `critical`. */
  readonly level: string | null
  readonly summary: string | null
  /** Why the lookup failed; null if it succeeded. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export type Named = Pick<CaseObservable, 'kind' | 'value'>

/** Journal entries of one run. */
export interface CaseJournal {
  readonly runUuid: string
  /** Steps that extract or look up observables, with their outputs. */
  readonly telling: readonly JournalEntry[]
  /** Calls of all other skills; their outputs are not needed. */
  readonly others: readonly JournalEntry[]
}

/** Properties of skills. */
export interface SkillNature {
  readonly enriches: (skill: string) => boolean
  readonly reads: (skill: string) => boolean
  /** Whether the skill asks a person. */
  readonly asks: (skill: string) => boolean
}

/** The skill whose output lists the observables of an alert; generated investigators start with it. */
export const extractingSkill = 'indicators.extract'

/** Maximum length of a source's summary. */
const maxSummary = 500
/** Uses kept per observable: the newest. */
const maxUses = 20
/** Longer inputs are not searched, and shorter values are not searched for. */
const [maxSearched, minSought] = [500, 4]

interface Found extends Named {
  readonly learned: Map<string, Learned>
  readonly used: Map<string, ObservableUse>
}

/**
 * The observables that the runs of a case found and looked up, according to their journals: highest score
 * first, then those looked up, then those only found.
 *
 * @param inAlerts further observables in the alerts
 */
export function observablesOf(
  journals: readonly CaseJournal[],
  nature: SkillNature,
  inAlerts: readonly Named[] = [],
): readonly CaseObservable[] {
  const found = new Map<string, Found>()
  const at = ({ kind, value }: Named): Found => {
    const key = `${kind} ${value}`
    const observable = found.get(key) ?? { kind, value, learned: new Map(), used: new Map() }
    found.set(key, observable)
    return observable
  }
  for (const { runUuid, telling } of journals) {
    for (const entry of telling) {
      if (entry.kind === extractingSkill) for (const named of listed(entry.output)) at(named)
      const asked = nature.enriches(entry.kind) ? lookedUp(entry) : undefined
      if (asked === undefined) continue
      const learned = findingIn(entry, runUuid)
      at(asked).learned.set(`${learned.runUuid} ${learned.path}`, learned)
    }
  }
  for (const named of inAlerts) at(named)
  noteUses([...found.values()], journals, nature)
  return [...found.values()]
    .map(({ kind, value, learned, used }) => ({
      kind,
      value,
      learned: newestFirst(learned),
      used: newestFirst(used).slice(0, maxUses),
    }))
    .toSorted((a, b) => weight(b) - weight(a))
}

const newestFirst = <T extends { readonly at: number }>(all: ReadonlyMap<string, T>): readonly T[] =>
  [...all.values()].toSorted((a, b) => b.at - a.at)

/** Finds steps whose input contains the value, such as a question to the user or a search for the host. */
function noteUses(found: readonly Found[], journals: readonly CaseJournal[], nature: SkillNature): void {
  const byValue = Map.groupBy(found, ({ value }) => value.toLowerCase())
  for (const { runUuid, others } of journals) {
    for (const entry of others) {
      const { state, kind: source, path, carriedFrom } = entry
      if (state === 'skipped' || isFollowUp(path)) continue
      const use = {
        source,
        runUuid: carriedFrom ?? runUuid,
        path,
        at: entry.endedAt ?? entry.startedAt,
        state,
        isQuestion: nature.asks(source),
      }
      for (const text of textsIn(entry.input)) {
        const given = text.toLowerCase()
        const named = [...(byValue.get(given) ?? [])]
        if (nature.reads(source) && given.length <= maxSearched)
          for (const [value, same] of byValue)
            if (value.length >= minSought && given !== value && given.includes(value)) named.push(...same)
        for (const { used } of named) used.set(`${use.runUuid} ${path}`, use)
      }
    }
  }
}

/** Whether the path belongs to a follow-up of an earlier question. */
const isFollowUp = (path: string): boolean => /\/@(remind|settle)$/.test(path)

/** The strings in an input, up to a few levels deep. */
function* textsIn(value: unknown, depth = 4): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null && depth > 0)
    for (const inner of Object.values(value)) yield* textsIn(inner, depth - 1)
}

/** The finding of a lookup that has ended. */
export function findingIn(entry: JournalEntry, runUuid: string): Learned {
  const { kind: source, path, startedAt, endedAt, carriedFrom, error } = entry
  const risk = fieldsOf(fieldsOf(entry.output)['risk'])
  return {
    source,
    runUuid: carriedFrom ?? runUuid,
    path,
    at: endedAt ?? startedAt,
    score: typeof risk['score'] === 'number' ? risk['score'] : null,
    level: textOf(risk['level']),
    summary: textOf(risk['summary']),
    error: error && { code: error.code, message: error.message.slice(0, maxSummary) },
  }
}

/** The observables in an output of `extractingSkill`. */
export function* listed(output: unknown): Iterable<Named> {
  const { all } = fieldsOf(output)
  for (const item of Array.isArray(all) ? (all as readonly unknown[]) : []) {
    const asked = askedAbout(item)
    if (asked) yield asked
  }
}

/** The observable of a lookup that has ended. */
export const lookedUp = ({ state, input }: JournalEntry): Named | undefined =>
  state === 'completed' || state === 'failed' ? askedAbout(input) : undefined

/** An input is recorded before it is validated, so it can be anything. */
function askedAbout(input: unknown): Named | undefined {
  const { kind: named, value } = fieldsOf(input)
  const kind = observableKinds.find((one) => one === named)
  return kind !== undefined && typeof value === 'string' ? { kind, value } : undefined
}

function weight({ learned }: CaseObservable): number {
  if (learned.length === 0) return -2
  return Math.max(...learned.map(({ score }) => score ?? -1))
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxSummary) : null
