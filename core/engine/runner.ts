import type { Run } from '../domain/run.ts'
import { UnavailableError } from '../errors/errors.ts'
import type { Playbook } from '../playbook/playbook.ts'
import type { Clock, Log, Stores } from '../ports.ts'
import { createAlarms } from './alarms.ts'
import { describeRun, type RunDescription } from './describe-run.ts'
import { RunSuspended } from './durable-context.ts'
import { FairQueue } from './fair-queue.ts'
import { interpret } from './interpreter.ts'
import { openLocalContext } from './local-context.ts'
import { noteTakenUp } from './poison.ts'
import type { Interrupted, SkillCaller } from './skill-caller.ts'
import { toStoredError } from './stored-error.ts'

export interface RunnerOptions {
  readonly stores: Pick<Stores, 'runs' | 'journal' | 'alerts' | 'organizations'>
  readonly clock: Clock
  readonly log: Log
  /** Rejects when there is no such playbook, or it no longer checks: the run then fails with that error. */
  readonly loadPlaybook: (hash: string) => Promise<Playbook>
  readonly callSkill: SkillCaller
  /** See `interruptedPolicy`. */
  readonly interrupted: (skill: string) => Interrupted
  /** Runs that work at the same time; those that only wait do not count. Default 64. */
  readonly maxRuns?: number | undefined
  /** A run in which nothing happens for longer is put away until then. Default 1,000. */
  readonly parkAfterMs?: number | undefined
  /** What a run has to know; default: read from the stores. */
  readonly describe?: ((run: Run) => Promise<RunDescription>) | undefined
  /** Where people look at a run. Default `/runs/<uuid>`. */
  readonly runUrl?: ((uuid: string) => string) | undefined
  /** Told once for every run that ends. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

export interface Runner {
  /** Takes up a queued or running run; one that is taken up already is left alone. */
  enqueue(run: Pick<Run, 'uuid' | 'organizationUuid'>): void
  /** Takes up what an earlier process left behind. */
  recover(): Promise<void>
  /**
   * Begins no further run, gives those under way up to `timeoutMs` to end, then stops them where they are: their journals are
   * complete, and the next process goes on. Resolves when nothing is under way.
   */
  drain(timeoutMs: number): Promise<void>
  /** How many runs wait for their turn, work, and are put away. */
  load(): { readonly queued: number; readonly active: number; readonly parked: number }
}

export const defaultMaxRuns = 50
const defaultParkAfterMs = 1_000
/** While the store cannot be used. */
const firstRetryMs = 1_000
const longestRetryMs = 60_000

/** How a turn of a run ended: for good, or until a time (epoch milliseconds) at which it gets another. */
type Turn = 'over' | { readonly againAtMs: number }

/** Runs runs. Holds ids of those that wait and memory only for those that work. */
export function createRunner(options: RunnerOptions): Runner {
  const { clock, log, maxRuns = defaultMaxRuns } = options
  const queue = new FairQueue()
  /** Queued, active or parked. */
  const known = new Set<string>()
  const active = new Map<string, { readonly done: Promise<void>; readonly stop: () => void }>()
  /** Consecutive turns that the store spoiled. */
  const troubles = new Map<string, number>()
  const draining = new AbortController()
  /** Not looked at yet in this process. */
  const fresh = new Set<string>()
  const parked = createAlarms<Pick<Run, 'uuid' | 'organizationUuid'>>(clock, (run) => {
    queue.push(run.organizationUuid, run.uuid)
    fill()
  })

  function enqueue({ uuid, organizationUuid }: Pick<Run, 'uuid' | 'organizationUuid'>): void {
    if (known.has(uuid) || draining.signal.aborted) return
    known.add(uuid)
    fresh.add(uuid)
    queue.push(organizationUuid, uuid)
    fill()
  }

  function fill(): void {
    while (active.size < maxRuns && !draining.signal.aborted) {
      const uuid = queue.take()
      if (uuid === undefined) return
      const stop = new AbortController()
      const done = turn(uuid, stop)
      active.set(uuid, { done, stop: () => stop.abort() })
    }
  }

  /** Never rejects: the errors of one run never touch another. */
  async function turn(uuid: string, stop: AbortController): Promise<void> {
    let run: Run | undefined
    let result: Turn
    try {
      run = await options.stores.runs.find('all', uuid)
      const leftBehind = fresh.delete(uuid) && run?.status === 'running'
      result = run ? await runTurn(options, { run, leftBehind, stop, draining: draining.signal }) : 'over'
      troubles.delete(uuid)
    } catch (error) {
      result = spoiled(uuid, error)
    }
    active.delete(uuid)
    if (result === 'over' || draining.signal.aborted) known.delete(uuid)
    else parked.set(result.againAtMs, { uuid, organizationUuid: run?.organizationUuid ?? '' })
    fill()
  }

  function spoiled(uuid: string, error: unknown): Turn {
    const trouble = (troubles.get(uuid) ?? 0) + 1
    troubles.set(uuid, trouble)
    const delayMs = Math.min(firstRetryMs * 2 ** (trouble - 1), longestRetryMs)
    log.error({ run: uuid, error, delay_ms: delayMs }, 'the run cannot go on for now')
    return { againAtMs: clock.now() + delayMs }
  }

  return {
    enqueue,
    async recover() {
      for (const run of await options.stores.runs.unfinished()) enqueue(run)
    },
    async drain(timeoutMs) {
      draining.abort()
      parked.clear()
      const over = new AbortController()
      const ended = Promise.all(Array.from(active.values(), ({ done }) => done))
      const stopAll = () => {
        for (const { stop } of active.values()) stop()
      }
      clock.sleep(timeoutMs, over.signal).then(stopAll, () => {})
      await ended
      over.abort()
    },
    load: () => ({ queued: queue.size, active: active.size, parked: parked.size }),
  }
}

interface TurnOptions {
  readonly run: Run
  /** An earlier process did not end it. */
  readonly leftBehind: boolean
  readonly stop: AbortController
  readonly draining: AbortSignal
}

/** Rejects where the store spoiled the turn. */
async function runTurn(options: RunnerOptions, turn: TurnOptions): Promise<Turn> {
  const { stores, log, clock, onRunEnded } = options
  const { stop, draining } = turn
  let { run } = turn
  if (run.status !== 'queued' && run.status !== 'running') return 'over'
  let againAtMs: number | undefined
  const onIdle = (wakeAtMs: number) => {
    if (!draining.aborted && wakeAtMs - clock.now() < (options.parkAfterMs ?? defaultParkAfterMs)) return
    againAtMs = wakeAtMs
    stop.abort()
  }
  let end
  try {
    if (turn.leftBehind) await noteTakenUp(stores.journal, run, clock)
    const description = await (options.describe?.(run) ?? describeRun(stores, run))
    if (run.status === 'queued') run = await stores.runs.start(run.uuid, { title: description.caseTitle })
    end = await interpretRun(options, run, description, stop.signal, onIdle)
  } catch (error) {
    if (error instanceof RunSuspended) return { againAtMs: againAtMs ?? clock.now() }
    if (error instanceof UnavailableError) throw error
    const stored = toStoredError(error, log, { run: run.uuid })
    end = { status: 'failed' as const, output: null, error: stored }
    if (run.status === 'queued') run = await stores.runs.start(run.uuid, { title: run.playbookName })
  }
  const ended = await stores.runs.end(run.uuid, end)
  try {
    onRunEnded?.(ended)
  } catch (error) {
    log.error({ run: run.uuid, error }, 'somebody who was told of the end of a run failed')
  }
  return 'over'
}

async function interpretRun(
  options: RunnerOptions,
  run: Run,
  description: RunDescription,
  stop: AbortSignal,
  onIdle: (wakeAtMs: number) => void,
) {
  const { stores, clock, log, runUrl = (uuid: string) => `/runs/${uuid}` } = options
  const playbook = await options.loadPlaybook(run.playbookHash)
  const { uuid, organizationUuid, caseId } = run
  const context = await openLocalContext({
    run: { uuid, startedAt: run.startedAt ?? run.createdAt },
    journal: stores.journal,
    clock,
    log,
    stop,
    onIdle,
  })
  const names = {
    ...description.names,
    case: { id: caseId },
    run: { ...description.names.run, url: runUrl(uuid) },
  }
  const skills = { call: options.callSkill, interrupted: options.interrupted }
  return await interpret(playbook, { run: { uuid, organizationUuid, caseId }, names }, context, skills)
}
