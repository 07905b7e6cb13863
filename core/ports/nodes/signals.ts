import type { ChangeKind } from '../../domain/change.ts'
import type { RunKey } from '../runs/run-store.ts'

/**
 * What one node tells the others after a commit. Rows are the truth: a node that misses a signal learns of the change when it looks at the
 * rows again, and may get a signal of something that it knows already.
 */
export type Signal =
  /** Due runs are waiting for a turn, for example of a node that stops. */
  | { readonly kind: 'runs_due'; readonly organizationUuid: string }
  /** Something that the run may wait for is stored. */
  | { readonly kind: 'run_woken'; readonly run: RunKey }
  | { readonly kind: 'run_cancelled'; readonly run: RunKey }
  /** The investigation of an alert (id) has ended, with each alert of its group. */
  | { readonly kind: 'investigation_ended'; readonly alertId: string }
  | { readonly kind: 'pause_changed' }
  /** Keys, accounts, roles, organizations, providers or connections. */
  | { readonly kind: 'configuration_changed' }
  /** The published playbooks. */
  | { readonly kind: 'playbooks_changed' }
  /** Somebody asked another node than the one that reads the playbooks folder to read it now. */
  | { readonly kind: 'folder_asked' }
  /** For event streams. */
  | { readonly kind: 'changed'; readonly changes: readonly ToldChange[] }
  | { readonly kind: 'connection_paused'; readonly pause: ConnectionPause }
  /** By a node that has started, or that missed signals: pauses are in no row, so the others tell theirs again. */
  | { readonly kind: 'pauses_asked' }
  /** Not sent, but received after a gap: anything may have changed. */
  | { readonly kind: 'missed' }

/** What a node publishes itself. */
export type SentSignal = Exclude<Signal, { readonly kind: 'missed' }>

export type SignalKind = Signal['kind']

/** A `Change` that another node can read. */
export interface ToldChange {
  readonly kind: ChangeKind
  /** See `Change`. */
  readonly organizationUuid: string | null
  /** Null: it has none, or several of this kind have changed. */
  readonly id: string | null
}

/** A pause that another system asked for (429 with `Retry-After`). */
export interface ConnectionPause {
  readonly connectionUuid: string
  /** Name of the rate budget. */
  readonly name: string
  readonly forMs: number
}

export interface Signals {
  /** Tells the other nodes, usually within 100 ms. To be called after the commit. Never rejects or throws. */
  publish(signal: SentSignal): void
  /** Calls back for signals of other nodes; the listener must not throw. Returns the function that ends it. */
  listen(listener: (signal: Signal) => void): () => void
}

/** For a process that is the only one. */
export const noSignals: Signals = {
  publish: () => undefined,
  listen: () => () => undefined,
}
