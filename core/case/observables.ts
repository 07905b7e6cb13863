import type { JournalEntry, StepState } from '../domain/run.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'

/** A value that the runs of a case found or looked up, with what was learned of it. */
export interface CaseObservable {
  readonly kind: ObservableKind
  readonly value: string
  /** What look-ups said; newest first. */
  readonly learned: readonly Learned[]
  /** Other steps that were given the value; newest first. Where both are empty, it was not looked up. */
  readonly used: readonly ObservableUse[]
}

/** A step of another kind than a look-up that was given the value, such as a question to the user. */
export interface ObservableUse {
  /** The skill: `<plugin>.<skill>`. */
  readonly source: string
  readonly runUuid: string
  /** Of the step in the run. */
  readonly path: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly state: Exclude<StepState, 'skipped'>
  /** The step asks a person. */
  readonly isQuestion: boolean
}

/** What one look-up said. */
export interface Learned {
  /** The skill: `<plugin>.<skill>`. */
  readonly source: string
  readonly runUuid: string
  /** Of the step in the run. */
  readonly path: string
  /** Epoch milliseconds. */
  readonly at: number
  /** 0 to 100; null: the source knows of no risk, or could not be asked. */
  readonly score: number | null
  /** In the words of the source, such as `critical`. */
  readonly level: string | null
  readonly summary: string | null
  /** Why it could not be asked; null where it could. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export type Named = Pick<CaseObservable, 'kind' | 'value'>

/** Steps of one run. */
export interface CaseJournal {
  readonly runUuid: string
  /** That extract or look up, with their outputs. */
  readonly telling: readonly JournalEntry[]
  /** All calls of other skills, whose outputs do not matter. */
  readonly others: readonly JournalEntry[]
}

/** What is known of a skill. */
export interface SkillNature {
  readonly enriches: (skill: string) => boolean
  readonly reads: (skill: string) => boolean
  /** Asks a person. */
  readonly asks: (skill: string) => boolean
}

/** The skill whose output lists the observables of an alert; investigators that are made begin with it. */
export const extractingSkill = 'indicators.extract'

/** Characters of what a source says in words. */
const maxSummary = 500
/** Of one observable: the newest. */
const maxUses = 20
/** Within longer inputs, and shorter values, nothing is looked for. */
const [maxSearched, minSought] = [500, 4]

interface Found extends Named {
  readonly learned: Map<string, Learned>
  readonly used: Map<string, ObservableUse>
}

/**
 * What the runs of a case found in its alerts and learned of it, by their journals: those with the highest score first, then what was
 * looked up, then what was only found.
 *
 * @param inAlerts what stands in the alerts besides
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
      const asked = nature.enriches(entry.kind) ? askedAbout(entry.input) : undefined
      if (asked === undefined || (entry.state !== 'completed' && entry.state !== 'failed')) continue
      const learned = learnedIn(entry, runUuid)
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

/** Whoever asked the user, or looked for the host elsewhere, gave the step that value, or a read a text with it. */
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

/** What tells of a question that was asked before. */
const isFollowUp = (path: string): boolean => /\/@(remind|settle)$/.test(path)

/** Strings in an input, a few levels deep. */
function* textsIn(value: unknown, depth = 4): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null && depth > 0)
    for (const inner of Object.values(value)) yield* textsIn(inner, depth - 1)
}

function learnedIn(entry: JournalEntry, runUuid: string): Learned {
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

/** Those that `extractingSkill` lists in its output. */
export function* listed(output: unknown): Iterable<Named> {
  const { all } = fieldsOf(output)
  for (const item of Array.isArray(all) ? (all as readonly unknown[]) : []) {
    const asked = askedAbout(item)
    if (asked) yield asked
  }
}

/** What a step was given is checked after it was recorded: it may be anything. */
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
