import { setImmediate } from 'node:timers/promises'
import { authorOf, type Actor, type Author } from '../domain/audit.ts'
import type { Organization } from '../domain/organization.ts'
import { ConflictError, NotFoundError, UnavailableError } from '../errors/errors.ts'
import type { SkillCaller } from '../engine/skills/skill-caller.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { testCases } from '../plugin/testing/index.ts'
import type { CaseStore } from '../ports/case-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { OrganizationScope } from '../ports/common.ts'
import type { Log } from '../ports/log.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { judgeAlert, type ComparedRuns, type JudgedAlert } from './judge-alert.ts'
import {
  loadRecording,
  recordedRuns,
  recordedVersion,
  type PlaybookVersion,
  type RecordedRunKey,
} from './recording.ts'
import type { NewInputPolicy } from './replay-notes.ts'

/** Most alerts of one backtest. */
export const maxBacktestAlerts = 1_000

export interface BacktestRequest {
  readonly organization: Pick<Organization, 'uuid' | 'code' | 'name'>
  /** The version to compare with. */
  readonly base: PlaybookVersion
  readonly candidate: PlaybookVersion
  /** Alerts whose runs were queued from this time on, in epoch milliseconds. */
  readonly since: number
  /** Most alerts; the newest count. */
  readonly limit: number
  readonly policy: NewInputPolicy
  readonly by: Actor
}

/** A backtest and its results so far. */
export interface Backtest {
  readonly id: string
  readonly request: Omit<BacktestRequest, 'by'>
  readonly by: Author
  readonly status: 'running' | 'completed' | 'cancelled' | 'failed'
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number | null
  /** Number of alerts. */
  readonly total: number
  /** In the order of the runs, newest first. */
  readonly judged: readonly JudgedAlert[]
  /** Milliseconds until the end; null if unknown. */
  readonly remainingMs: number | null
}

/** Runs backtests in the background, one at a time per organization, and keeps the latest results in memory. */
export interface Backtests {
  /**
   * @param beforeStart records the start
   * @throws ConflictError `backtest_running`; UnavailableError `backtests_full`
   */
  start(request: BacktestRequest, beforeStart?: (alerts: number) => Promise<unknown>): Promise<Backtest>
  /** @throws NotFoundError `backtest_not_found` */
  find(scope: OrganizationScope, id: string): Backtest
  /** Newest first. */
  list(scope: OrganizationScope, playbookName: string): readonly Backtest[]
  /** Ends after the current alert; its results stay. */
  cancel(scope: OrganizationScope, id: string): Backtest
  /** Continues a cancelled or failed backtest with the alerts that are left. */
  resume(scope: OrganizationScope, id: string): Backtest
  /** Replays one alert again, for its steps. Throws NotFoundError `backtest_not_found`, `run_not_found`. */
  compare(scope: OrganizationScope, id: string, runUuid: string, signal: AbortSignal): Promise<ComparedRuns>
  /** Resolves when none is running. */
  idle(): Promise<void>
}

export interface BacktestsOptions {
  readonly stores: Pick<Stores, 'runs' | 'alerts' | 'journalReader' | 'connections'>
  readonly catalogue: Catalogue
  readonly byHash: (hash: string) => Promise<Playbook>
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  readonly runUrl: (uuid: string) => string
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the server closes. */
  readonly closing: AbortSignal
  readonly newId: () => string
}

const [maxKept, maxKeptPerOrganization, maxRunning] = [8, 3, 2]
/** Results are copies of data that retention may delete meanwhile. */
const keepMs = 86_400_000
/** Pause after each alert, as a share of its duration, for the other work of the server. */
const restShare = 0.25

interface Job {
  readonly id: string
  readonly request: BacktestRequest
  readonly keys: readonly RecordedRunKey[]
  readonly startedAt: number
  readonly judged: JudgedAlert[]
  /** Time spent on the judged alerts. */
  workMs: number
  status: Backtest['status']
  endedAt: number | null
  stop: AbortController
}

export function createBacktests(options: BacktestsOptions): Backtests {
  const { stores, clock, log, closing } = options
  const { judge, work } = createWorker(options)
  const jobs = new Map<string, Job>()
  const underWay = new Set<Promise<void>>()

  const requireJob = (scope: OrganizationScope, id: string): Job => {
    forgetOld(jobs, clock.now())
    const job = jobs.get(id)
    if (job !== undefined && isWithin(scope, job)) return job
    throw new NotFoundError('backtest_not_found', 'there is no backtest with this id', {
      hint: 'start a new one: only the latest results are kept, for a day, until the server restarts; of several nodes, only by the one that has it',
    })
  }
  const begin = (job: Job): Backtest => {
    requireRoom(jobs, job)
    job.status = 'running'
    job.endedAt = null
    job.stop = new AbortController()
    const working = work(job).finally(() => underWay.delete(working))
    underWay.add(working)
    return viewOf(job)
  }
  return {
    async start(request, beforeStart) {
      const { organization, base, candidate } = request
      requireRoom(jobs, { request })
      const startedAt = clock.now()
      const span = { since: request.since, until: startedAt + 1, limit: request.limit }
      const wanted = { organizationUuid: organization.uuid, playbookName: base.playbook.name, ...span }
      const keys = await recordedRuns(stores, wanted)
      await beforeStart?.(keys.length)
      const job = newJob(options.newId(), request, keys, startedAt)
      const begun = begin(job)
      jobs.set(job.id, job)
      forgetSurplus(jobs, organization.uuid)
      log.info({ playbook: candidate.playbook.name, alerts: keys.length }, 'backtest started')
      return begun
    },
    find: (scope, id) => viewOf(requireJob(scope, id)),
    list(scope, playbookName) {
      forgetOld(jobs, clock.now())
      return [...jobs.values()]
        .filter((job) => isWithin(scope, job) && job.request.base.playbook.name === playbookName)
        .map(viewOf)
        .toReversed()
    },
    cancel(scope, id) {
      const job = requireJob(scope, id)
      if (job.status === 'running') {
        job.stop.abort()
        endJob(job, 'cancelled', clock.now())
      }
      return viewOf(job)
    },
    resume(scope, id) {
      const job = requireJob(scope, id)
      return job.status === 'running' || job.status === 'completed' ? viewOf(job) : begin(job)
    },
    async compare(scope, id, runUuid, signal) {
      const job = requireJob(scope, id)
      const key = job.keys.find((each) => each.runUuid === runUuid)
      if (key === undefined) throw new NotFoundError('run_not_found', 'the backtest did not replay this run')
      return await judge(job, key, AbortSignal.any([signal, closing]))
    },
    async idle() {
      await Promise.all(underWay)
    },
  }
}

function newJob(
  id: string,
  request: BacktestRequest,
  keys: readonly RecordedRunKey[],
  startedAt: number,
): Job {
  const stop = new AbortController()
  return { id, request, keys, startedAt, judged: [], workMs: 0, status: 'running', endedAt: null, stop }
}

/** Judges the alerts of a backtest one after another. */
function createWorker(options: BacktestsOptions) {
  const { stores, clock, log, closing } = options
  const elapsed = () => clock.monotonic?.() ?? clock.now()
  const judge = async (job: Job, key: RecordedRunKey, signal: AbortSignal): Promise<ComparedRuns> => {
    const { organization, base, candidate, policy } = job.request
    const recording = await loadRecording(stores, organization.uuid, key.runUuid)
    const surroundings = {
      policy,
      live: options.callerOfSkills(testCases(organization.code, candidate.playbook.name)),
      catalogue: options.catalogue,
      connections: stores.connections,
      organization: { code: organization.code, name: organization.name },
      runUrl: options.runUrl,
      log,
    }
    const versionOf = (recorded: Parameters<typeof recordedVersion>[0]) =>
      recordedVersion(recorded, options.byHash)
    return await judgeAlert(key, recording, { ...surroundings, base, candidate, versionOf }, signal)
  }
  const work = async (job: Job): Promise<void> => {
    const { stop } = job
    const signal = AbortSignal.any([stop.signal, closing])
    try {
      while (job.judged.length < job.keys.length) {
        signal.throwIfAborted()
        const from = elapsed()
        const { judged } = await judge(job, job.keys[job.judged.length]!, signal)
        signal.throwIfAborted()
        job.judged.push(judged)
        await setImmediate()
        await clock.sleep(Math.ceil((elapsed() - from) * restShare), signal)
        job.workMs += elapsed() - from
      }
      endJob(job, 'completed', clock.now())
    } catch (error) {
      // A resumed backtest has another signal.
      if (job.stop !== stop) return
      endJob(job, signal.aborted ? 'cancelled' : 'failed', clock.now())
      if (!signal.aborted)
        log.warn({ playbook: job.request.candidate.playbook.name, error }, 'a backtest failed')
    }
  }
  return { judge, work }
}

function endJob(job: Job, status: Job['status'], now: number): void {
  job.status = status
  job.endedAt = now
}

function viewOf(job: Job): Backtest {
  const { id, request, status, startedAt, endedAt, keys, judged, workMs } = job
  const left = keys.length - judged.length
  const perAlert = judged.length === 0 ? undefined : workMs / judged.length
  const remainingMs = status !== 'running' ? 0 : perAlert === undefined ? null : Math.round(perAlert * left)
  return {
    id,
    request,
    by: authorOf(request.by),
    status,
    startedAt,
    endedAt,
    total: keys.length,
    judged,
    remainingMs,
  }
}

const isWithin = (scope: OrganizationScope, { request }: Job): boolean =>
  scope === 'all' || scope.includes(request.organization.uuid)

function requireRoom(jobs: ReadonlyMap<string, Job>, { request }: Pick<Job, 'request'>): void {
  const running = [...jobs.values()].filter(({ status }) => status === 'running')
  if (running.some((job) => job.request.organization.uuid === request.organization.uuid))
    throw new ConflictError('backtest_running', 'a backtest of the organization is already running', {
      hint: 'cancel it, or wait until it has ended',
    })
  if (running.length >= maxRunning)
    throw new UnavailableError('backtests_full', `${maxRunning} backtests are already running`, {
      retryAfterMs: 10_000,
    })
}

/** The oldest first; maps keep their order. */
function forgetSurplus(jobs: Map<string, Job>, organizationUuid: string): void {
  const own = [...jobs.values()].filter(({ request }) => request.organization.uuid === organizationUuid)
  for (const { id } of own.slice(0, -maxKeptPerOrganization)) jobs.delete(id)
  for (const { id, status } of [...jobs.values()].slice(0, -maxKept))
    if (status !== 'running') jobs.delete(id)
}

function forgetOld(jobs: Map<string, Job>, now: number): void {
  for (const { id, status, startedAt } of jobs.values())
    if (status !== 'running' && now - startedAt > keepMs) jobs.delete(id)
}
