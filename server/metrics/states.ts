import type { ExportState } from '../audit-export/exporter.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { UnfinishedWork } from '../../core/ports/runs/run-store.ts'
import type { StandingContainments } from '../../core/ports/runs/containment-store.ts'
import type { Exposition } from './exposition.ts'
import type { SystemFigures } from './system.ts'

/** Read at every scrape. */
export interface WatchedEngine {
  /** Active runs. */
  readonly active: () => number
  /** Runs watched after crashes of the process. */
  readonly suspects: () => number
  /** Organizations with an alert storm. */
  readonly storms: () => number
  readonly isPaused: () => boolean
  /** Names of live playbooks. */
  readonly playbooks: () => readonly string[]
  /** Whether a change of the playbooks folder is not published. */
  readonly isFolderRefused: () => boolean
}

/** Values of the gauges, read before each scrape. */
export interface States {
  engine: WatchedEngine
  work: UnfinishedWork
  containments: StandingContainments
  system: SystemFigures
  /** Undefined: the database has files in the data directory. */
  databaseBytes: number | undefined
  nodes: NodeFigures
  /** Connections that need a sign-in. */
  signInsNeeded: number
  /** API keys that end soon. */
  keysEndingSoon: number
}

export interface NodeFigures {
  /** Nodes that renew their leases, this one included. */
  readonly live: number
  /** Until the lease of this node is over, at least 0; undefined: it has none. */
  readonly leaseLeftMs: number | undefined
}

export const noEngine: WatchedEngine = {
  active: () => 0,
  suspects: () => 0,
  storms: () => 0,
  isPaused: () => false,
  playbooks: () => [],
  isFolderRefused: () => false,
}

export function describeStates(exposition: Exposition, states: States): void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    exposition.gauge(name, help, () => {
      const value = read()
      return value === undefined ? [] : [{ value }]
    })
  describeWork(exposition, gauge, states)
  describeEngine(gauge, states)
  describeNodes(gauge, states)
  describeDisk(exposition, gauge, states)
  exposition.gauge('tocsin_build_info', 'Always 1; labels are the versions of Tocsin and Node.', () => [
    { labels: { version: packageJson.version, node: process.versions.node }, value: 1 },
  ])
  describeProcess(exposition, gauge, states)
}

/** Of what all nodes share: adding up the values of several nodes would count it several times. */
const shared = (help: string): string => `${help} The same on all nodes.`

type Gauge = (name: string, help: string, read: () => number | undefined) => void

function describeWork(exposition: Exposition, given: Gauge, states: States): void {
  const gauge: Gauge = (name, help, read) => given(name, shared(help), read)
  exposition.gauge('tocsin_runs', shared('Active runs, by state.'), () =>
    (['queued', 'running', 'waiting'] as const).map((state) => ({
      labels: { state },
      value: states.work[state],
    })),
  )
  gauge(
    'tocsin_oldest_queued_run_age_seconds',
    'Time that the oldest queued run has waited for its first turn; 0 if none is queued.',
    () => states.work.oldestQueuedMs / 1000,
  )
  gauge('tocsin_questions_waiting', 'Questions that wait for an answer.', () => states.work.questions)
  gauge(
    'tocsin_steps_unknown',
    'Steps with unknown outcome that wait for a decision.',
    () => states.work.unknownSteps,
  )
  gauge(
    'tocsin_cases_overdue',
    'Open cases whose next target of response times is over.',
    () => states.work.overdueCases,
  )
  exposition.gauge(
    'tocsin_containments',
    shared('Containments that stand, by state; `active` and `failed` are in effect, as far as Tocsin knows.'),
    () => Object.entries(states.containments.byState).map(([state, value]) => ({ labels: { state }, value })),
  )
  gauge(
    'tocsin_oldest_containment_age_seconds',
    'Time since the oldest containment that stands began; 0 if there is none.',
    () => states.containments.oldestMs / 1000,
  )
  gauge(
    'tocsin_containment_checks_failing',
    'Containments that stand and whose last check of the other system failed.',
    () => states.containments.failedChecks,
  )
  gauge(
    'tocsin_trigger_events_waiting',
    'Changes of cases and alerts that have not started their playbooks.',
    () => states.work.events,
  )
  exposition.gauge(
    'tocsin_rate_limited',
    shared('Runs and steps that wait for a rate limit of their playbook.'),
    () => (['runs', 'steps'] as const).map((of) => ({ labels: { of }, value: states.work.rateLimited[of] })),
  )
  gauge(
    'tocsin_connections_sign_in_needed',
    'Enabled connections that do not work before an administrator signs in to the other system.',
    () => states.signInsNeeded,
  )
  gauge(
    'tocsin_api_keys_ending_soon',
    'Usable API keys that end within 14 days.',
    () => states.keysEndingSoon,
  )
  gauge(
    'tocsin_destructive_uses_held',
    'Uses of destructive skills that wait for an approval.',
    () => states.work.approvals,
  )
}

function describeEngine(gauge: Gauge, states: States): void {
  gauge('tocsin_engine_paused', shared('1 while runs are paused, else 0.'), () =>
    Number(states.engine.isPaused()),
  )
  gauge('tocsin_runs_active', 'Active runs; at most TOCSIN_MAX_RUNS.', () => states.engine.active())
  gauge(
    'tocsin_runs_suspected',
    'Runs watched after crashes of the process; no other run starts meanwhile.',
    () => states.engine.suspects(),
  )
  gauge(
    'tocsin_playbook_folder_refused',
    shared('1 while a change of the playbooks folder is not published, else 0.'),
    () => Number(states.engine.isFolderRefused()),
  )
  gauge('tocsin_organizations_in_storm', shared('Organizations with an alert storm.'), () =>
    states.engine.storms(),
  )
}

function describeNodes(gauge: Gauge, states: States): void {
  gauge(
    'tocsin_nodes_live',
    shared('Nodes that renew their leases; 1 without failover.'),
    () => states.nodes.live,
  )
  gauge(
    'tocsin_node_lease_seconds',
    'Time until the lease of this node is over, if it has one; 0: it sends nothing to other systems.',
    () => states.nodes.leaseLeftMs && states.nodes.leaseLeftMs / 1000,
  )
}

function describeDisk(exposition: Exposition, gauge: Gauge, states: States): void {
  exposition.gauge(
    'tocsin_store_size_bytes',
    shared(
      'Size of the database and its write-ahead log; of PostgreSQL only the database, at most a minute old.',
    ),
    () => {
      const { databaseBytes: database, system } = states
      const sizes = database === undefined ? system.fileBytes : { database }
      return Object.entries(sizes).map(([file, value]) => ({ labels: { file }, value }))
    },
  )
  gauge(
    'tocsin_disk_free_bytes',
    'Free space on the disk of the data directory.',
    () => states.system.freeBytes,
  )
}

function describeProcess(exposition: Exposition, gauge: Gauge, states: States): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  exposition.total('process_cpu_seconds_total', 'Processor time used.', () => {
    const { user, system } = process.cpuUsage()
    return [{ value: (user + system) / 1e6 }]
  })
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('process_start_time_seconds', 'Start time of the process, in Unix time.', () => startedAt)
  gauge('process_open_fds', 'Open files and connections.', () => states.system.openFiles)
  gauge('process_max_fds', 'Limit of open files and connections.', () => states.system.maxFiles)
}

/** Metrics of each destination of the audit log. */
export function describeExport(exposition: Exposition, states: () => readonly ExportState[]): void {
  const each = (value: (state: ExportState) => number) => () =>
    states().map((state) => ({ labels: { destination: state.destination }, value: value(state) }))
  exposition.gauge(
    'tocsin_audit_export_lag',
    'Audit log entries that the destination still lacks.',
    each(({ lag }) => lag),
  )
  exposition.total(
    'tocsin_audit_exported_total',
    'Audit log entries that the destination received.',
    each(({ exported }) => exported),
  )
  exposition.total(
    'tocsin_audit_export_failures_total',
    'Audit log batches that could not be delivered.',
    each(({ failures }) => failures),
  )
}
