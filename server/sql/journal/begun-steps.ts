import QuickLRU from 'quick-lru'
import type { JournalEntry } from '../../../core/domain/run.ts'
import { turnOf } from '../../../core/ports/runs/turn.ts'

export interface StepRow extends Pick<JournalEntry, 'state' | 'kind' | 'attempt'> {
  readonly id: number
  readonly destructive: number
}

const columns = 'id, state, kind, attempt, destructive'

export const selectStep = `SELECT ${columns} FROM journal WHERE run_id = ? AND path = ?`

/** Gives the step if that changed anything. */
export const insertStep = `
  INSERT INTO journal (run_id, path, step_id, kind, state, input, sensitive, attempt, started_at, destructive)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_id, path) DO UPDATE SET attempt = excluded.attempt
    WHERE journal.state = excluded.state AND journal.attempt < excluded.attempt
  RETURNING ${columns}`

/** A step of a turn. Undefined: the write belongs to no turn. */
export type StepKey = string | undefined

export function stepKey(run: string, path: string): StepKey {
  const turn = turnOf(run)
  return turn && `${turn.number} ${run} ${path}`
}

/** More than the number of steps under way. */
const maxSteps = 20_000

/**
 * Steps that current turns have begun. Until the turn ends or parks such a step, nothing else changes its row, so that its end does not
 * read it again.
 */
export class BegunSteps {
  readonly #rows = new QuickLRU<string, StepRow>({ maxSize: maxSteps })

  /** @param step undefined: it had begun before */
  note(key: StepKey, step: StepRow | undefined): undefined {
    if (key === undefined) return
    if (step === undefined) this.#rows.delete(key)
    else this.#rows.set(key, step)
  }

  /** For the write that changes it: the row, once. */
  take(key: StepKey): StepRow | undefined {
    if (key === undefined) return undefined
    const row = this.#rows.get(key)
    this.#rows.delete(key)
    return row
  }
}
