import { ConflictError } from '../../core/errors/errors.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Log } from '../../core/ports/log.ts'
import type { NodeStore, StoredNode } from '../../core/ports/nodes/node-store.ts'
import { patienceMs } from './node-watch.ts'

export interface TakeOverOptions {
  readonly nodes: Pick<NodeStore, 'list' | 'remove'>
  readonly clock: Clock
  readonly log: Log
}

/**
 * Waits until no earlier process can send any more, and removes them, so that they cannot write any more. To be called with the claim
 * on the data directory and before any work. Without earlier nodes, it waits for nothing.
 *
 * @throws ConflictError `node_alive` if one renews its lease although this process has the claim
 */
export async function takeOver({ nodes, clock, log }: TakeOverOptions): Promise<void> {
  const before = presentOf(await nodes.list())
  if (before.length === 0) return
  const reason = before.map(({ name }) => name).join(', ')
  log.info({ reason, delay_ms: patienceMs }, 'waiting until the lease of an earlier process is over')
  await clock.sleep(patienceMs, never)
  const alive = presentOf(await nodes.list()).filter((node) => !isUnchanged(node, before))
  if (alive.length > 0) throw stillAlive(alive)
  await nodes.remove(before, 'lost')
}

const presentOf = (nodes: readonly StoredNode[]): readonly StoredNode[] =>
  nodes.filter(({ gone }) => gone === null)

const never = new AbortController().signal

const isUnchanged = ({ id, renewedAt }: StoredNode, before: readonly StoredNode[]): boolean =>
  before.some((each) => each.id === id && each.renewedAt === renewedAt)

const stillAlive = (alive: readonly StoredNode[]): ConflictError =>
  new ConflictError(
    'node_alive',
    `another process works on the data directory: ${alive.map(({ name }) => name).join(', ')}`,
    {
      hint: 'stop that process; if it runs on another machine, locks of files do not reach it: attach the volume to one machine at a time',
    },
  )
