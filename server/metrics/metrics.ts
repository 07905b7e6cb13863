import { endsSoon } from '../../core/access/key-expiry.ts'
import { signInProblem, type Connection } from '../../core/domain/connection.ts'
import type { Run } from '../../core/domain/run.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { Commit } from '../sqlite/database/group-commit.ts'
import { describeEvents, methods, type KnownLabels } from './events.ts'
import { createExposition, type Counter, type Exposition, type Histogram } from './exposition.ts'
import type { ExportState } from '../audit-export/exporter.ts'
import {
  describeExport,
  describeStates,
  noEngine,
  type NodeFigures,
  type States,
  type WatchedEngine,
} from './states.ts'
import { noSystemFigures, readSystem } from './system.ts'

/** The metrics of a process. */
export interface Metrics {
  committed(commit: Commit): void
  requestAnswered(answered: AnsweredRequest): void
  runEnded(run: Pick<Run, 'status' | 'playbookName'>): void
  /** By a webhook; those of the API are requests. */
  alertReceived(): void
  alertGrouped(): void
  alertCorrelated(): void
  /** Returns a caller that counts and times its calls. */
  watchSkills(call: SkillCaller): SkillCaller
  /** A request to another system is over; `status` undefined: no answer came. */
  readonly requestSent: (plugin: string | undefined, status: number | undefined) => void
  /** A thread that runs skills ended unexpectedly. */
  threadLost(): void
  watchEngine(engine: WatchedEngine): void
  /** Calls it at every scrape. */
  watchNodes(read: () => Promise<NodeFigures>): void
  /** Calls it at every scrape. */
  watchAuditExport(states: () => readonly ExportState[]): void
  /** @param now epoch milliseconds */
  text(stores: WatchedStores, now: number): Promise<string>
  close(): void
}

type WatchedStores = Pick<Stores, 'runs' | 'connections' | 'containments' | 'keys' | 'databaseBytes'>

export interface AnsweredRequest {
  readonly method: string
  /** Path template of the route; undefined: no route matched. */
  readonly route: string | undefined
  readonly status: number
  readonly durationMs: number
  readonly isNewAlert: boolean
}

export interface MetricsOptions extends Partial<KnownLabels> {
  /** Names of the plugins that need a sign-in. Default: none. */
  readonly signInPlugins?: ReadonlySet<string>
  /** Folder to measure. Default: none. */
  readonly dataDir?: string
}

export function createMetrics({
  dataDir,
  plugins = [],
  skills = [],
  signInPlugins = new Set(),
}: MetricsOptions = {}): Metrics {
  const exposition = createExposition()
  const events = describeEvents(exposition, { plugins, skills })
  const states: States = { ...noStates }
  describeStates(exposition, states)
  const readSize = onceAMinute<number | undefined>()
  let readNodes = () => Promise.resolve(noNodes)
  const countFailure = countFailures(exposition, () => states.engine.playbooks())
  /** By method, status and route, each from a finite set. */
  const requests = new Map<string, RequestSeries>()
  const stopWatching = watchEventLoop((seconds) => events.lag.observe(seconds))
  const requestSent: Metrics['requestSent'] = (plugin = 'none', status) =>
    events.sent.increase({ plugin, status: status === undefined ? 'error' : classOf(status) })

  return {
    committed({ writes: count, durationMs }) {
      events.commits.observe(durationMs / 1000)
      events.writes.increase({}, count)
    },
    requestAnswered({ method: given, route = 'none', status, durationMs, isNewAlert }) {
      const method = methods.has(given) ? given : 'other'
      const key = `${method} ${status} ${route}`
      let answered = requests.get(key)
      if (answered === undefined) {
        answered = {
          count: events.requests.of({ method, status: String(status) }),
          duration: events.requestDurations.of({ method, route, status: classOf(status) }),
        }
        requests.set(key, answered)
      }
      answered.count.increase()
      answered.duration.observe(durationMs / 1000)
      if (!isNewAlert) return
      if (status === 201) events.received.increase()
      else events.refused.increase({ status: String(status) })
    },
    runEnded({ status, playbookName }) {
      events.runsEnded.increase({ outcome: status })
      if (status === 'failed') countFailure(playbookName)
    },
    watchSkills: (call) => async (given) => {
      const startedAt = performance.now()
      let outcome = 'failed'
      try {
        const output = await call(given)
        outcome = 'completed'
        return output
      } finally {
        events.calls.observe((performance.now() - startedAt) / 1000, { skill: given.skill, outcome })
      }
    },
    requestSent,
    threadLost: () => events.threadsLost.increase(),
    alertReceived: () => events.received.increase(),
    alertGrouped: () => events.grouped.increase(),
    alertCorrelated: () => events.correlated.increase(),
    watchAuditExport: (exportStates) => describeExport(exposition, exportStates),
    watchEngine(watched) {
      states.engine = watched
    },
    watchNodes: (read) => void (readNodes = read),
    async text(stores, now) {
      states.work = await stores.runs.unfinishedWork()
      states.containments = await stores.containments.standing()
      states.signInsNeeded = await countNeededSignIns(stores, signInPlugins, now)
      states.keysEndingSoon = await countEnding(stores, now)
      states.nodes = await readNodes()
      states.databaseBytes = await readSize(() => stores.databaseBytes())
      if (dataDir !== undefined) states.system = await readSystem(dataDir)
      return exposition.text()
    },
    close: stopWatching,
  }
}

const countEnding = async ({ keys }: Pick<Stores, 'keys'>, now: number): Promise<number> =>
  (await keys.list()).filter((key) => endsSoon(key, now)).length

/** Enabled connections that need a sign-in to work. */
async function countNeededSignIns(
  { connections }: Pick<Stores, 'connections'>,
  plugins: ReadonlySet<string>,
  now: number,
): Promise<number> {
  if (plugins.size === 0) return 0
  const isNeeded = ({ enabled, plugin, signIn }: Connection): boolean =>
    enabled && plugins.has(plugin) && signInProblem(signIn, now) !== undefined
  return (await connections.list('all')).filter(isNeeded).length
}

interface RequestSeries {
  readonly count: ReturnType<Counter['of']>
  readonly duration: ReturnType<Histogram['of']>
}

const classOf = (status: number): string => `${Math.floor(status / 100)}xx`

const noWork: States['work'] = {
  queued: 0,
  running: 0,
  waiting: 0,
  oldestQueuedMs: 0,
  questions: 0,
  approvals: 0,
  unknownSteps: 0,
  overdueCases: 0,
  events: 0,
  rateLimited: { runs: 0, steps: 0 },
}

const noContainments: States['containments'] = {
  byState: { active: 0, undoing: 0, failed: 0, unknown: 0, overdue: 0 },
  oldestMs: 0,
  failedChecks: 0,
}

const noNodes: NodeFigures = { live: 1, leaseLeftMs: undefined }

/** Reads what costs much at most once a minute. */
function onceAMinute<T>(): (read: () => Promise<T>) => Promise<T> {
  let last: { readonly value: Promise<T>; readonly at: number } | undefined
  return (read) => {
    if (last === undefined || performance.now() - last.at >= 60_000)
      last = { value: read(), at: performance.now() }
    last.value.catch(() => (last = undefined))
    return last.value
  }
}

const intervalMs = 500

/** Reports repeatedly how many seconds a timer is late; returns a function that stops it. */
function watchEventLoop(onLag: (seconds: number) => void): () => void {
  let dueAt = performance.now() + intervalMs
  const timer = setInterval(() => {
    const now = performance.now()
    onLag(Math.max(0, now - dueAt) / 1000)
    dueAt = now + intervalMs
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Maximum number of playbooks with their own counter: names are free text, and counters are kept forever. */
const mostPlaybooks = 200

/** Counts failed runs by playbook; generated, deleted and surplus playbooks share one counter. */
function countFailures(exposition: Exposition, written: () => readonly string[]) {
  const counts = new Map<string, number>()
  let others = 0
  exposition.total(
    'tocsin_runs_failed_total',
    'Failed runs by playbook; (other): generated playbooks, and those beyond 200.',
    () => {
      for (const name of written()) if (counts.size < mostPlaybooks && !counts.has(name)) counts.set(name, 0)
      const known = [...counts].map(([playbook, value]) => ({ labels: { playbook }, value }))
      return [...known, { labels: { playbook: '(other)' }, value: others }]
    },
  )
  return (name: string): void => {
    const count = counts.get(name)
    if (count !== undefined) counts.set(name, count + 1)
    else if (counts.size < mostPlaybooks && written().includes(name)) counts.set(name, 1)
    else others++
  }
}

const noStates: States = {
  engine: noEngine,
  work: noWork,
  containments: noContainments,
  system: noSystemFigures,
  databaseBytes: undefined,
  nodes: noNodes,
  signInsNeeded: 0,
  keysEndingSoon: 0,
}
