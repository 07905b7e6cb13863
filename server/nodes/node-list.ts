import type { GoneNode, NodeReport, NodeStore, StoredNode } from '../../core/ports/nodes/node-store.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { settingsBeside } from '../config/shared-settings.ts'
import { leaseMs } from './keep-lease.ts'
import type { NewerRuns, WaitingRuns } from './newer-runs.ts'
import type { OpenNode } from './open-node.ts'
import type { SeenStandby } from './standby-file.ts'

/** A process, as people see it. */
export interface ListedNode {
  readonly id: string
  readonly name: string
  readonly program: string
  readonly role: NodeReport['role'] | 'standby'
  /** `late`: it has missed renewals of its lease. `gone`: it stopped, or was removed. */
  readonly state: 'ok' | 'late' | 'gone'
  readonly startedAt: number
  /** Milliseconds until its lease is over, at least 0; null: it has none. */
  readonly leaseLeftMs: number | null
  /** Null: it has told nothing. */
  readonly report: NodeReport | null
  readonly gone: GoneNode | null
  /** Names of the settings in which it differs from this process. */
  readonly otherSettings: readonly string[]
}

/** The processes on the store, and the runs that none of them may continue. */
export interface NodeList {
  readonly nodes: readonly ListedNode[]
  readonly waiting: readonly WaitingRuns[]
}

export interface NodeListOptions {
  readonly nodes: Pick<NodeStore, 'id' | 'list'>
  readonly node: Pick<OpenNode, 'name' | 'startedAt' | 'lease' | 'watch'>
  /** What this process tells of itself. */
  readonly report: () => NodeReport
  readonly standbys: () => readonly SeenStandby[]
  readonly newerRuns: Pick<NewerRuns, 'waiting'>
}

/** A renewal comes each second. */
const lateMs = 3_000

/** By start, with this process. */
export async function listNodes(options: NodeListOptions): Promise<NodeList> {
  const { nodes, node, report, standbys, newerRuns } = options
  const standby = standbys().map(standbyView)
  if (node.lease === undefined)
    return { nodes: [aloneView(options), ...standby], waiting: newerRuns.waiting([]) }
  const all = await nodes.list()
  node.watch.look(all)
  const differing = settingsBeside(all, nodes.id)
  const views = all.map((one) => ({
    ...storedView(one, node.watch.sinceRenewal(one.id) ?? 0),
    otherSettings: differing(one),
  }))
  const own = (view: ListedNode): ListedNode => (view.id === nodes.id ? { ...view, report: report() } : view)
  return {
    nodes: [...views.map(own), ...standby].toSorted((a, b) => a.startedAt - b.startedAt),
    waiting: newerRuns.waiting(all),
  }
}

/** For metrics: the nodes that renew their leases, and what is left of the lease of this one. */
export function figuresOf({ nodes: listed }: NodeList, own: string) {
  return {
    live: listed.filter(({ role, state }) => role !== 'standby' && state === 'ok').length,
    leaseLeftMs: listed.find(({ id }) => id === own)?.leaseLeftMs ?? undefined,
  }
}

/** A process without failover stores nothing of itself. */
const aloneView = ({ nodes, node, report }: NodeListOptions): ListedNode => {
  const told = report()
  return {
    id: nodes.id,
    name: node.name,
    program: packageJson.version,
    role: told.role,
    state: 'ok',
    startedAt: node.startedAt,
    leaseLeftMs: null,
    report: told,
    gone: null,
    otherSettings: [],
  }
}

const storedView = (stored: StoredNode, sinceMs: number): Omit<ListedNode, 'otherSettings'> => {
  const { id, name, program, startedAt, report, gone } = stored
  const common = { id, name, program, startedAt, report, gone, role: report?.role ?? 'active' } as const
  if (gone !== null) return { ...common, state: 'gone', leaseLeftMs: null }
  return {
    ...common,
    state: sinceMs > lateMs ? 'late' : 'ok',
    leaseLeftMs: Math.max(0, Math.round(leaseMs - sinceMs)),
  }
}

const standbyView = ({ id, name, program, startedAt, isLate }: SeenStandby): ListedNode => ({
  id,
  name,
  program,
  role: 'standby',
  state: isLate ? 'late' : 'ok',
  startedAt,
  leaseLeftMs: null,
  report: null,
  gone: null,
  otherSettings: [],
})
