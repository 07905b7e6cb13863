import type { Run } from '../../core/domain/run.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { ClosableEgress } from '../egress/egress.ts'
import type { Commit } from '../sqlite/database/group-commit.ts'
import { watchEventLoop } from './event-loop.ts'
import { describeEvents, methods, type KnownLabels } from './events.ts'
import { createExposition } from './exposition.ts'
import { countFailures } from './failures.ts'
import type { ExportState } from '../audit-export/exporter.ts'
import { describeExport, describeStates, noEngine, type States, type WatchedEngine } from './states.ts'
import { noSystemFigures, readSystem } from './system.ts'

/** The figures of a process, and the places where they are gathered. */
export interface Metrics {
  committed(commit: Commit): void
  requestAnswered(answered: AnsweredRequest): void
  runEnded(run: Pick<Run, 'status' | 'playbookName'>): void
  /** An alert joined a case as a repeat. */
  alertGrouped(): void
  /** The same, with its calls counted and measured. */
  watchSkills(call: SkillCaller): SkillCaller
  watchEgress(egress: ClosableEgress): ClosableEgress
  watchEngine(engine: WatchedEngine): void
  /** Asked for its state whenever the figures are. */
  watchAuditExport(states: () => readonly ExportState[]): void
  /** In the text format of Prometheus. */
  text(stores: Pick<Stores, 'runs'>): Promise<string>
  close(): void
}

export interface AnsweredRequest {
  readonly method: string
  /** Path of the route, with its parameters' names; undefined: it led to none. */
  readonly route: string | undefined
  readonly status: number
  readonly durationMs: number
  readonly isNewAlert: boolean
}

export interface MetricsOptions extends Partial<KnownLabels> {
  /** Whose size is told. Default: nothing is. */
  readonly dataDir?: string
}

export function createMetrics({ dataDir, plugins = [], skills = [] }: MetricsOptions = {}): Metrics {
  const exposition = createExposition()
  const events = describeEvents(exposition, { plugins, skills })
  const states: States = { engine: noEngine, work: noWork, system: noSystemFigures }
  describeStates(exposition, states)
  const countFailure = countFailures(exposition, () => states.engine.playbooks())
  const stopWatching = watchEventLoop((seconds) => events.lag.observe(seconds))

  return {
    committed({ writes: count, durationMs }) {
      events.commits.observe(durationMs / 1000)
      events.writes.increase({}, count)
    },
    requestAnswered({ method: given, route = 'none', status, durationMs, isNewAlert }) {
      const method = methods.has(given) ? given : 'other'
      events.requests.increase({ method, status: String(status) })
      events.requestDurations.observe(durationMs / 1000, { method, route, status: classOf(status) })
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
    watchEgress: (egress) => ({
      async send(request) {
        let status = 'error'
        try {
          const response = await egress.send(request)
          status = classOf(response.status)
          return response
        } finally {
          events.sent.increase({ plugin: request.plugin ?? 'none', status })
        }
      },
      close: () => egress.close(),
    }),
    alertGrouped: () => events.grouped.increase(),
    watchAuditExport: (exportStates) => describeExport(exposition, exportStates),
    watchEngine(watched) {
      states.engine = watched
    },
    async text(stores) {
      states.work = await stores.runs.unfinishedWork()
      if (dataDir !== undefined) states.system = await readSystem(dataDir)
      return exposition.text()
    },
    close: stopWatching,
  }
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
}
