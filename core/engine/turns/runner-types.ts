import type { Alert } from '../../domain/alert.ts'
import type { Run } from '../../domain/run.ts'
import type { ExclusiveWork } from '../../ports/nodes/exclusive-work.ts'
import type { Signal, Signals } from '../../ports/nodes/signals.ts'
import type { RunKey } from '../../ports/runs/run-store.ts'
import type { Place } from './fair-share.ts'
import type { TurnOptions } from './run-turn.ts'

export interface RunnerOptions extends TurnOptions {
  /** Begins nothing before `recover` is called. Default false. */
  readonly held?: boolean
  /** Concurrent runs; waiting runs do not count. Default 100. */
  readonly maxRuns?: number | undefined
  /** Percentage of the concurrent runs that one organization may use if there are several. Default 80. */
  readonly sharePercent?: number | undefined
  /** Ids in memory: of each organization's due runs, and of the runs that wake first. Default 1,000. */
  readonly maxInMemory?: number | undefined
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  /** Default: there are no other nodes. */
  readonly signals?: Signals | undefined
}

export interface Runner {
  /** Accepts a run that was just queued. `alert`: the alert of the run, if the caller has it. */
  enqueue(run: Run, alert?: Alert): void
  /** Keeps a place for a new run, so that the write that queues it can start it. Undefined: there is none now. */
  reserve(organizationUuid: string): Place | undefined
  /** Something that the run may wait for is stored: an answer, a decision, the end of the previous run. */
  wake(run: RunKey): void
  /** Ends current work as cancelled; `finally` still runs. The store must know of the cancellation. */
  cancel(run: Run): void
  /** Another node has told something. */
  heard(signal: Signal): void
  /** Resumes the runs of an earlier process, a page at a time. */
  recover(): Promise<void>
  /** Begins and continues no run; current steps end. */
  pause(): void
  resume(): void
  /**
   * Shuts down: begins and continues no run, and stops current steps after `timeoutMs`; the next process continues
   * them. Resolves when no work is left.
   */
  drain(timeoutMs: number): Promise<void>
  /** Runs of an organization that are queued and not started. */
  queuedOf(organizationUuid: string): number
  /** Runs of an organization that have a turn, and their maximum. */
  shareOf(organizationUuid: string): { readonly working: number; readonly most: number }
  /** Organizations with runs that have a turn, and how many they have. */
  working(): ReadonlyMap<string, number>
  /** Runs in memory that wait for a turn, and that have one. */
  load(): { readonly queued: number; readonly active: number }
  /** Runs in quarantine after a crash; nothing else begins until there are none. */
  suspects(): number
}
