import type { Run } from '../../core/domain/run.ts'
import type { SkillCaller } from '../../core/engine/skill-caller.ts'
import type { Stores } from '../../core/ports.ts'
import type { ClosableEgress } from '../egress/index.ts'
import type { Commit } from '../sqlite/group-commit.ts'
import { createExposition } from './exposition.ts'
import { watchEventLoop } from './event-loop.ts'

/** The figures of a process, and the places where they are gathered. */
export interface Metrics {
  committed(commit: Commit): void
  /** @param status of the answer */
  requestAnswered(method: string, status: number, isNewAlert: boolean): void
  runEnded(run: Pick<Run, 'status'>): void
  /** An alert joined a case as a repeat. */
  alertGrouped(): void
  /** The same, with its calls counted and measured. */
  watchSkills(call: SkillCaller): SkillCaller
  watchEgress(egress: ClosableEgress): ClosableEgress
  /** What is asked for its state whenever the figures are. */
  watchEngine(engine: WatchedEngine): void
  /** In the text format of Prometheus. */
  text(stores: Pick<Stores, 'runs' | 'destructiveUses'>): Promise<string>
  close(): void
}

interface WatchedEngine {
  /** How many runs work. */
  readonly active: () => number
  /** How many runs are watched after crashes of the process. */
  readonly suspects: () => number
  /** How many organizations have a storm of alerts. */
  readonly storms: () => number
}

const callBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
const lagBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Methods of the table of routes; others are anybody's words. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createMetrics(): Metrics {
  const exposition = createExposition()
  const received = exposition.counter(
    'tocsin_alerts_received_total',
    'Alerts answered with 201: they are on disk.',
  )
  const refused = exposition.counter(
    'tocsin_alerts_refused_total',
    'Alerts that were not taken in, by status of the answer.',
  )
  const grouped = exposition.counter(
    'tocsin_alerts_grouped_total',
    'Alerts that joined a case as repeats, without a run.',
  )
  const requests = exposition.counter(
    'tocsin_http_requests_total',
    'Requests answered, by method and status.',
  )
  const ended = exposition.counter('tocsin_runs_ended_total', 'Runs that ended, by outcome.')
  const calls = exposition.histogram(
    'tocsin_skill_call_duration_seconds',
    'Calls of skills, each try by itself, by skill and outcome.',
    callBounds,
  )
  const sent = exposition.counter(
    'tocsin_outbound_requests_total',
    'Requests to other systems, by plugin and class of the status; error where none came.',
  )
  const commits = exposition.histogram(
    'tocsin_store_commit_duration_seconds',
    'Commits of the store, with their wait for the disk.',
    commitBounds,
  )
  const writes = exposition.counter(
    'tocsin_store_writes_total',
    'Writes; those of one turn of the event loop share a commit.',
  )
  const lag = exposition.histogram(
    'tocsin_event_loop_lag_seconds',
    'How much later than due a timer of the process fires.',
    lagBounds,
  )
  let counts: Readonly<Record<string, number>> = {}
  exposition.gauge('tocsin_runs', 'Runs that have not ended, by state.', () =>
    ['queued', 'running', 'waiting'].map((state) => ({ labels: { state }, value: counts[state] ?? 0 })),
  )
  let engine: WatchedEngine = { active: () => 0, suspects: () => 0, storms: () => 0 }
  let held = 0
  exposition.gauge('tocsin_runs_active', 'Runs that work at this moment; at most TOCSIN_MAX_RUNS.', () => [
    { value: engine.active() },
  ])
  exposition.gauge(
    'tocsin_runs_suspected',
    'Runs to be watched after crashes of the process; nothing else begins meanwhile.',
    () => [{ value: engine.suspects() }],
  )
  exposition.gauge('tocsin_organizations_in_storm', 'Organizations with a storm of alerts.', () => [
    { value: engine.storms() },
  ])
  exposition.gauge(
    'tocsin_destructive_uses_held',
    'Uses of destructive skills that wait for a person.',
    () => [{ value: held }],
  )
  describeProcess(exposition)
  const stopWatching = watchEventLoop((seconds) => lag.observe(seconds))

  return {
    committed({ writes: count, durationMs }) {
      commits.observe(durationMs / 1000)
      writes.increase({}, count)
    },
    requestAnswered(method, status, isNewAlert) {
      requests.increase({ method: methods.has(method) ? method : 'other', status: String(status) })
      if (!isNewAlert) return
      if (status === 201) received.increase()
      else refused.increase({ status: String(status) })
    },
    runEnded: ({ status }) => ended.increase({ outcome: status }),
    watchSkills: (call) => async (given) => {
      const startedAt = performance.now()
      let outcome = 'failed'
      try {
        const output = await call(given)
        outcome = 'completed'
        return output
      } finally {
        calls.observe((performance.now() - startedAt) / 1000, { skill: given.skill, outcome })
      }
    },
    watchEgress: (egress) => ({
      async send(request) {
        let status = 'error'
        try {
          const response = await egress.send(request)
          status = `${Math.floor(response.status / 100)}xx`
          return response
        } finally {
          sent.increase({ plugin: request.plugin ?? 'none', status })
        }
      },
      close: () => egress.close(),
    }),
    alertGrouped: () => grouped.increase(),
    watchEngine(watched) {
      engine = watched
    },
    async text(stores) {
      counts = await stores.runs.countUnfinished()
      held = (await stores.destructiveUses.list('all')).reduce((sum, uses) => sum + uses.held, 0)
      return exposition.text()
    },
    close: stopWatching,
  }
}

function describeProcess(exposition: ReturnType<typeof createExposition>): void {
  const startedAt = Date.now() / 1000 - process.uptime()
  const cpuSeconds = () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  exposition.gauge('process_resident_memory_bytes', 'Memory of the process.', () => [
    { value: process.memoryUsage.rss() },
  ])
  exposition.total('process_cpu_seconds_total', 'Time of processors that was used.', () => [
    { value: cpuSeconds() },
  ])
  exposition.gauge('process_start_time_seconds', 'When the process started, in Unix time.', () => [
    { value: startedAt },
  ])
}
