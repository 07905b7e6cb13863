import { stringifyJson } from '../common/json.ts'
import type { JournalEntry } from '../domain/run.ts'
import { maskedEntry, maskedOutput } from '../engine/skills/masked-run.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import type { Replay } from './replay.ts'

/** A replay, or a recorded run. */
export interface Side extends Pick<Replay, 'notStarted'> {
  readonly outcome:
    (Pick<NonNullable<Replay['outcome']>, 'output' | 'error'> & { readonly status: string }) | undefined
  readonly entries: readonly JournalEntry[]
}

/** Bounds of a view; data beyond `maxJson` characters is left out. */
export interface SideBounds {
  readonly maxSteps: number
  readonly maxJson: number
}

const defaultBounds: SideBounds = { maxSteps: 1_000, maxJson: 2_000_000 }
const leftOut = '[left out]'

export function sideView(
  { outcome, notStarted, entries }: Side,
  playbook: Playbook | undefined,
  catalogue: Pick<Catalogue, 'skill'>,
  { maxSteps, maxJson }: SideBounds = defaultBounds,
) {
  let left = maxJson
  const bounded = <T>(data: T): T | undefined => {
    left -= stringifyJson(data ?? null).length
    return left < 0 ? undefined : data
  }
  const steps = entries.slice(0, maxSteps).map((entry) => {
    const { path, kind, state, startedAt, endedAt, input, output, error } = maskedEntry(entry, catalogue)
    const data = { input: input ?? null, output: output ?? null }
    const shown = bounded(data) ?? { input: leftOut, output: leftOut }
    return { path, kind, state, started_at: startedAt, ended_at: endedAt, ...shown, error }
  })
  return {
    status: outcome?.status ?? 'not_started',
    not_started: notStarted ?? null,
    output: (bounded({ output: maskedOutput(playbook, outcome?.output ?? null) }) ?? { output: leftOut })
      .output,
    error: outcome?.error ?? null,
    steps,
  }
}
