import type { JournalEntry } from '../domain/run.ts'
import { observableKinds, type ObservableKind } from '../plugin/index.ts'

/** A value that the runs of a case found or looked up, with what was learned of it. */
export interface CaseObservable {
  readonly kind: ObservableKind
  readonly value: string
  /** Newest first; empty: nobody was asked about it. */
  readonly learned: readonly Learned[]
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

type Named = Pick<CaseObservable, 'kind' | 'value'>

/** The skill whose output lists the observables of an alert; investigators that are made begin with it. */
export const extractingSkill = 'indicators.extract'

/** Characters of what a source says in words. */
const maxSummary = 500

/**
 * What the runs of a case found in its alerts and learned of it, by their journals: those with the highest score first, then what was
 * looked up, then what was only found.
 */
export function observablesOf(
  journals: readonly { readonly runUuid: string; readonly entries: readonly JournalEntry[] }[],
  enriches: (skill: string) => boolean,
): readonly CaseObservable[] {
  const found = new Map<string, { kind: ObservableKind; value: string; learned: Map<string, Learned> }>()
  const at = ({ kind, value }: Named) => {
    const key = `${kind} ${value}`
    const observable = found.get(key) ?? { kind, value, learned: new Map<string, Learned>() }
    found.set(key, observable)
    return observable
  }
  for (const { runUuid, entries } of journals) {
    for (const entry of entries) {
      if (entry.kind === extractingSkill) for (const named of listed(entry.output)) at(named)
      const asked = enriches(entry.kind) ? askedAbout(entry.input) : undefined
      if (asked === undefined || (entry.state !== 'completed' && entry.state !== 'failed')) continue
      const learned = learnedIn(entry, runUuid)
      at(asked).learned.set(`${learned.runUuid} ${learned.path}`, learned)
    }
  }
  return [...found.values()]
    .map(({ kind, value, learned }) => ({
      kind,
      value,
      learned: [...learned.values()].toSorted((a, b) => b.at - a.at),
    }))
    .toSorted((a, b) => weight(b) - weight(a))
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

function* listed(output: unknown): Iterable<Named> {
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
