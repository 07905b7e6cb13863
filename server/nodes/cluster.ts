import { hostname } from 'node:os'
import { onlyProcess, type ExclusiveWork } from '../../core/ports/nodes/exclusive-work.ts'
import { noSignals, type Signals } from '../../core/ports/nodes/signals.ts'
import type { NodeReport } from '../../core/ports/nodes/node-store.ts'
import { NodeShares } from '../../core/skill/http/node-share.ts'

/** What this process shares with the other nodes on its store. */
export interface Cluster {
  readonly signals: Signals
  readonly exclusive: ExclusiveWork
  /** Its part of the rate limits of connections. */
  readonly shares: NodeShares
  /** What the other nodes last told of themselves. */
  readonly others: () => readonly NodeReport[]
}

/** Of this process, for people: host and process id. */
export const nodeName = (): string => `${hostname()}:${process.pid}`

/** Elapsed milliseconds, unaffected by changes of the system time. */
export const elapsed = (): number => performance.now()

/** Of a process that is the only one, such as every server on SQLite. */
export const onlyNode = (): Cluster => ({
  signals: noSignals,
  exclusive: onlyProcess,
  shares: new NodeShares(elapsed),
  others: () => [],
})
