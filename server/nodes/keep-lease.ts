import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeReport, NodeStore, StoredNode } from '../../core/ports/nodes/node-store.ts'
import type { SharedLease } from './shared-lease.ts'

/** How long a process may send without a renewal, in milliseconds. */
export const leaseMs = 5_000
const renewEveryMs = 1_000
/** Time between two reports: a renewal alone changes one column. */
const reportEveryMs = 5_000

export interface KeepLeaseOptions {
  readonly nodes: Pick<NodeStore, 'join' | 'renew'>
  readonly lease: SharedLease
  readonly clock: Clock
  readonly log: Log
  /** Ends the renewals. */
  readonly signal: AbortSignal
  /** What the node tells of itself; undefined: nothing yet. Default: nothing. */
  readonly report?: (() => NodeReport | undefined) | undefined
  /** Looks at the other nodes after each renewal, and gives the ids of the nodes that this one counts. Default: there are none. */
  readonly look?: (() => Promise<readonly string[]>) | undefined
}

/** Joins the nodes and renews the lease each second. Resolves when the lease is held; rejects if the node cannot be stored. */
export async function keepLease(
  node: Pick<StoredNode, 'name' | 'program'>,
  options: KeepLeaseOptions,
): Promise<void> {
  const held = options.lease.from(leaseMs)
  await options.nodes.join(node)
  held()
  const peers = await options.look?.()
  void renewals(peers, options)
}

/** Never rejects. While the store fails, the lease ends, and returns with the next renewal. */
async function renewals(first: readonly string[] | undefined, options: KeepLeaseOptions): Promise<void> {
  const { nodes, lease, clock, log, signal, report, look } = options
  let peers = first
  let reportedAt = -Infinity
  let wasHeld = true
  const note = (isHeld: boolean, error?: unknown) => {
    if (isHeld === wasHeld) return
    wasHeld = isHeld
    if (isHeld) log.info({}, 'the lease is renewed: steps go on')
    else log.error({ error }, 'the lease is over: nothing is sent to other systems until it is renewed')
  }
  const elapsed = () => clock.monotonic?.() ?? clock.now()
  while (await waited(clock, signal)) {
    note(lease.isHeld())
    const held = lease.from(leaseMs)
    try {
      const told = elapsed() - reportedAt < reportEveryMs ? undefined : report?.()
      await nodes.renew({ peers, report: told })
      held()
      note(true)
      if (told !== undefined) reportedAt = elapsed()
      peers = (await look?.()) ?? peers
    } catch (error) {
      note(lease.isHeld(), error)
    }
  }
}

const waited = (clock: Clock, signal: AbortSignal): Promise<boolean> =>
  clock.sleep(renewEveryMs, signal).then(
    () => true,
    () => false,
  )
