import type { JournalEntry } from '../domain/run.ts'
import type { Repeat } from '../plugin/index.ts'

/** Why an entry of a journal is not carried over. */
export type Reason =
  /** It failed and nothing handled it, or it had not ended. */
  | 'failed'
  | 'not_ended'
  /** The time of a group around it, or of the run, was up; or the run was cancelled. */
  | 'out_of_time'
  | 'cancelled'
  /** It was done because of a failure, or because the run ended. */
  | 'followed_from_end'
  /** Something inside of it runs again. */
  | 'inside_runs_again'
  /** It depends on what runs again, or on an input that is another now. */
  | 'reads_changed'
  /** What it does depends on the time, or on the run itself. */
  | 'reads_run'
  /** In the new playbook it, or what it stands in, is another step; or there is none. */
  | 'changed'
  | 'gone'

/** What becomes of an entry of the journal of the run before. */
export interface CarriedStep {
  readonly entry: JournalEntry
  /** Null: it is carried over. */
  readonly reason: Reason | null
  /** What it reads, or what changed. */
  readonly detail?: string | undefined
}

/** A write of the run before that took effect, or may have, and that may be done again. */
export interface RepeatedEffect {
  readonly entry: JournalEntry
  /** `may_have`: it failed, or never ended, and nobody knows. */
  readonly tookEffect: 'yes' | 'may_have'
  readonly reason: Reason
  /** What the skill declares; null where it is not installed. */
  readonly repeat: Repeat | null
}
