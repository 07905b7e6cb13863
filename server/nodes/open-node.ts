import { UnavailableError } from '../../core/errors/errors.ts'
import { withLogFields } from '../../core/common/log-context.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeReport, NodeStore } from '../../core/ports/nodes/node-store.ts'
import type { Signals } from '../../core/ports/nodes/signals.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { openSharedStores, openStores, type StoreObservers } from '../store/open-stores.ts'
import { DatabaseClock } from './database-clock.ts'
import { elapsed, nodeName, onlyNode, type Cluster } from './cluster.ts'
import { keepLease, type KeepLeaseOptions } from './keep-lease.ts'
import { NodeLooks } from './look-at-nodes.ts'
import { NodeWatch } from './node-watch.ts'
import { NotifiedSignals } from './signals/notified-signals.ts'
import { SharedLease } from './shared-lease.ts'
import { openLate, type OpenedLate } from './open-late.ts'
import { claimed, type StandbyOptions } from './standby.ts'
import { takeOver } from './take-over.ts'

/** This process among the nodes. */
export interface OpenNode {
  /** For people: host and process id. */
  readonly name: string
  readonly startedAt: number
  /** Address of the database, for people; absent: it is in the data directory. */
  readonly database?: string
  /** With memory: that of the database, if this machine has another time. */
  readonly clock: Clock & Partial<Pick<DatabaseClock, 'memory'>>
  readonly cluster: Cluster
  /** Undefined: no other process can take over. */
  readonly lease: SharedLease | undefined
  /** When the other nodes were seen renewing their leases. */
  readonly watch: NodeWatch
  /** What this process tells of itself from now on. */
  reportWith(report: () => NodeReport): void
  /** Calls back when another node has left or was lost. */
  onGone(listener: () => void): void
  /** After the last work: others need not wait for the end of the lease. Never rejects. */
  leave(): Promise<void>
}

interface OpenNodeOptions {
  readonly nodes: NodeStore
  /**
   * `alone`: takes no part, and stores nothing. `standby`: others wait until it has ended. `signals`: others work at the same time, and are
   * told by them.
   */
  readonly mode: 'alone' | 'standby' | { readonly signals: Signals }
  readonly clock: Clock
  readonly log: Log
}

/** This process, if no other one works on the store. */
const aloneNode = (clock: Clock): OpenNode => ({
  name: nodeName(),
  startedAt: clock.now(),
  clock,
  cluster: onlyNode(),
  lease: undefined,
  watch: new NodeWatch(elapsed),
  reportWith: () => undefined,
  onGone: () => undefined,
  leave: () => Promise.resolve(),
})

/** Joins the nodes if this process takes part in failover. Rejects if it cannot be stored. */
async function openNode({ nodes, mode, clock, log }: OpenNodeOptions): Promise<OpenNode> {
  const alone = aloneNode(clock)
  if (mode === 'alone') return alone
  const lease = new SharedLease()
  const ending = new AbortController()
  const watch = new NodeWatch(elapsed)
  const listeners = new Set<() => void>()
  const onGone = () => listeners.forEach((listener) => listener())
  let report: (() => NodeReport) | undefined
  let looks: NodeLooks | undefined
  const options: KeepLeaseOptions = {
    nodes,
    lease,
    clock,
    log,
    signal: ending.signal,
    report: () => report?.(),
  }
  const look = async () => {
    looks ??= new NodeLooks(await nodes.list(), { nodes, watch, elapsed, clock, log, onGone })
    return await looks.look()
  }
  const isShared = mode !== 'standby'
  await keepLease(
    { name: alone.name, program: packageJson.version },
    isShared ? { ...options, look } : options,
  )
  return {
    ...alone,
    lease,
    watch,
    cluster:
      isShared && looks !== undefined
        ? {
            signals: mode.signals,
            exclusive: { isShared, isMine: (job) => nodes.takeJob(job) },
            shares: looks.shares,
            others: () => looks?.others ?? [],
          }
        : alone.cluster,
    reportWith: (given) => void (report = given),
    onGone: (listener) => void listeners.add(listener),
    async leave() {
      ending.abort()
      // Removed already, or the disk fails: others wait for the end of the lease.
      await nodes.leave().catch(() => undefined)
    },
  }
}

/** What a server works with, and how it ends the waiting for it. */
export interface OpenedNode {
  readonly stores: Stores
  readonly node: OpenNode
  readonly endStandby: () => Promise<void>
}

/** Opens the stores and joins the nodes, as the configuration says. Throws what `openStores`, `openSharedStores` and `takeOver` throw. */
export function openNodeOf(config: Config, observers: StoreObservers, log: Log): Promise<OpenedNode> {
  return config.store === undefined
    ? openWithClaim(config, observers, log)
    : openBesideOthers(config, observers, log)
}

/** As a standby, waits for the data directory; then until the process before cannot act any more. */
async function openWithClaim(config: Config, observers: StoreObservers, log: Log): Promise<OpenedNode> {
  const open = () => openStores(config, 'exclusive', observers)
  const clock = systemClock
  const { opened: stores, endStandby } = await claimed(open, { config, clock, log })
  const { nodes } = stores
  try {
    await takeOver({ nodes, clock, log })
    const node = await openNode({ nodes, mode: config.standby ? 'standby' : 'alone', clock, log })
    return { stores, node, endStandby }
  } catch (error) {
    await endStandby()
    await stores.close()
    throw error
  }
}

/** On a database that other nodes may use at the same time; waits while it cannot be reached. */
async function openBesideOthers(config: Config, given: StoreObservers, log: Log): Promise<OpenedNode> {
  const clock = new DatabaseClock((leadMs) => noteClock(leadMs, log))
  const observers: StoreObservers = {
    ...given,
    clock,
    // Not of the run or request that noticed it.
    onOutage: (error) =>
      withLogFields({}, () => {
        if (error === undefined) log.info({}, 'the database can be reached again')
        else log.error({ error }, 'the database cannot be reached')
      }),
  }
  const open = () => openSharedStores(config, 'server', observers)
  const { opened, endStandby } = await reached(open, { config, clock, log })
  const { stores, channel, place } = opened
  const { nodes } = stores
  const signals = new NotifiedSignals({ node: nodes.id, channel, clock, log })
  try {
    const node = await openNode({ nodes, mode: { signals }, clock, log })
    // It may have sent no signal of its last commits, and its runs are due.
    node.onGone(() => signals.missed())
    return {
      stores,
      endStandby,
      node: {
        ...node,
        database: place,
        async leave() {
          await node.leave()
          await signals.close()
        },
      },
    }
  } catch (error) {
    await endStandby()
    await signals.close()
    await stores.close()
    throw error
  }
}

function noteClock(leadMs: number | undefined, log: Log): void {
  if (leadMs === undefined) log.info({}, 'the clock of this machine is right again')
  else
    log.warn(
      { delay_ms: leadMs },
      'the clock of this machine differs from that of the database, which is used: synchronize it by NTP',
    )
}

const againMs = 1_000
const waiting = 'waiting for the database'

/**
 * Opens the database that several nodes share. While it cannot be reached, this node says why it is not ready and tries again.
 *
 * @throws what `open` throws, e.g. for a wrong password, which waiting does not mend
 */
function reached<T>(open: () => Promise<T>, { config, clock, log }: StandbyOptions): Promise<OpenedLate<T>> {
  let told = ''
  return openLate(open, config, (error) => {
    if (!isPassing(error)) return undefined
    const { message, hint = '' } = error
    if (message !== told) log.error({ error }, hint === '' ? waiting : `${waiting}: ${hint}`)
    told = message
    return { why: { message, hint }, wait: () => clock.sleep(againMs, never) }
  })
}

const never = new AbortController().signal

/** Not for what stays wrong until somebody changes it: user and password (28), and the name of the database (3D). */
const isPassing = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && !/^(?:28|3D)/.test(String(error.details?.['postgres_code']))
