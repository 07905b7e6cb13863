import type { ExportState } from '../audit-export/exporter.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { UnfinishedWork } from '../../core/ports/runs/run-store.ts'
import type { Exposition } from './exposition.ts'
import type { SystemFigures } from './system.ts'

/** Asked for its state whenever the figures are. */
export interface WatchedEngine {
  /** How many runs work. */
  readonly active: () => number
  /** How many runs are watched after crashes of the process. */
  readonly suspects: () => number
  /** How many organizations have a storm of alerts. */
  readonly storms: () => number
  readonly isPaused: () => boolean
  /** Names of playbooks that a person wrote, in force. */
  readonly playbooks: () => readonly string[]
}

/** What gauges tell of, read before they are asked. */
export interface States {
  engine: WatchedEngine
  work: UnfinishedWork
  system: SystemFigures
}

export const noEngine: WatchedEngine = {
  active: () => 0,
  suspects: () => 0,
  storms: () => 0,
  isPaused: () => false,
  playbooks: () => [],
}

export function describeStates(exposition: Exposition, states: States): void {
  const gauge = (name: string, help: string, read: () => number | undefined) =>
    exposition.gauge(name, help, () => {
      const value = read()
      return value === undefined ? [] : [{ value }]
    })
  describeWork(exposition, gauge, states)
  describeEngine(gauge, states)
  describeDisk(exposition, gauge, states)
  exposition.gauge('tocsin_build_info', 'Always 1: the version of Tocsin, and of Node.', () => [
    { labels: { version: packageJson.version, node: process.versions.node }, value: 1 },
  ])
  describeProcess(exposition, gauge, states)
}

type Gauge = (name: string, help: string, read: () => number | undefined) => void

function describeWork(exposition: Exposition, gauge: Gauge, states: States): void {
  exposition.gauge('tocsin_runs', 'Runs that have not ended, by state.', () =>
    (['queued', 'running', 'waiting'] as const).map((state) => ({
      labels: { state },
      value: states.work[state],
    })),
  )
  gauge(
    'tocsin_oldest_queued_run_age_seconds',
    'How long the oldest queued run has been waiting for its first turn; 0 where none is.',
    () => states.work.oldestQueuedMs / 1000,
  )
  gauge(
    'tocsin_questions_waiting',
    'Questions to people that wait for an answer.',
    () => states.work.questions,
  )
  gauge(
    'tocsin_steps_unknown',
    'Steps with unknown outcome that wait for a decision.',
    () => states.work.unknownSteps,
  )
  gauge(
    'tocsin_destructive_uses_held',
    'Uses of destructive skills that wait for a person.',
    () => states.work.approvals,
  )
}

function describeEngine(gauge: Gauge, states: States): void {
  gauge('tocsin_engine_paused', '1 while runs are paused, else 0.', () => Number(states.engine.isPaused()))
  gauge('tocsin_runs_active', 'Runs that work at this moment; at most TOCSIN_MAX_RUNS.', () =>
    states.engine.active(),
  )
  gauge(
    'tocsin_runs_suspected',
    'Runs to be watched after crashes of the process; nothing else begins meanwhile.',
    () => states.engine.suspects(),
  )
  gauge('tocsin_organizations_in_storm', 'Organizations with a storm of alerts.', () =>
    states.engine.storms(),
  )
}

function describeDisk(exposition: Exposition, gauge: Gauge, states: States): void {
  exposition.gauge('tocsin_store_size_bytes', 'Size of the database and of its write-ahead log.', () =>
    Object.entries(states.system.fileBytes).map(([file, value]) => ({ labels: { file }, value })),
  )
  gauge('tocsin_disk_free_bytes', 'Free space where the data directory is.', () => states.system.freeBytes)
}

function describeProcess(exposition: Exposition, gauge: Gauge, states: States): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  exposition.total('process_cpu_seconds_total', 'Time of processors that was used.', () => {
    const { user, system } = process.cpuUsage()
    return [{ value: (user + system) / 1e6 }]
  })
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge('process_start_time_seconds', 'When the process started, in Unix time.', () => startedAt)
  gauge('process_open_fds', 'Files and connections that are open.', () => states.system.openFiles)
  gauge('process_max_fds', 'How many may be open.', () => states.system.maxFiles)
}

/** Of each destination that the audit log is exported to. */
export function describeExport(exposition: Exposition, states: () => readonly ExportState[]): void {
  const each = (value: (state: ExportState) => number) => () =>
    states().map((state) => ({ labels: { destination: state.destination }, value: value(state) }))
  exposition.gauge(
    'tocsin_audit_export_lag',
    'Entries of the audit log that a destination has not taken yet.',
    each(({ lag }) => lag),
  )
  exposition.total(
    'tocsin_audit_exported_total',
    'Entries of the audit log that a destination has taken.',
    each(({ exported }) => exported),
  )
  exposition.total(
    'tocsin_audit_export_failures_total',
    'Batches of the audit log that a destination did not take.',
    each(({ failures }) => failures),
  )
}
