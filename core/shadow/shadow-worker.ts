import { AsyncResource } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { loadRecording, recordedVersion, type PlaybookVersion } from '../backtest/recording.ts'
import type { Organization } from '../domain/organization.ts'
import type { QueuedShadow } from './shadow-result.ts'
import type { SkillCaller } from '../engine/skills/skill-caller.ts'
import { UnavailableError } from '../errors/errors.ts'
import type { PlaybookLibrary } from '../investigation/playbook-library.ts'
import { newestCalled } from '../investigation/playbook-versions.ts'
import { isFor } from '../playbook/check/owner.ts'
import { testCases } from '../plugin/testing/index.ts'
import type { CaseStore } from '../ports/case-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../ports/nodes/exclusive-work.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { watchedShadow } from './shadow-rules.ts'
import { judgeShadow, unjudged, type ShadowSurroundings } from './judge-shadow.ts'
import { sharedReads } from './shared-reads.ts'

/** Judges shadows on the alerts of ended runs, in the background. */
export interface ShadowWorker {
  /** Begins to queue alerts for the shadows of the library. */
  takeOver(): void
  /** Judges what an earlier process left, and what is queued from now on. */
  start(): void
  /** Ends after the current step of each alert; the alerts are judged by the next process. */
  stop(): Promise<void>
}

export interface ShadowWorkerOptions {
  readonly stores: Pick<
    Stores,
    'runs' | 'alerts' | 'journalReader' | 'connections' | 'organizations' | 'shadows' | 'cases'
  >
  readonly catalogue: Catalogue
  readonly library: Pick<PlaybookLibrary, 'shadows' | 'newest' | 'byHash'>
  readonly callerOfSkills: (cases: CaseStore) => SkillCaller
  /** False while runs need the server. */
  readonly mayWork: () => boolean
  readonly runUrl: (uuid: string) => string
  /** Largest share of the rate limits of connections, in percent. */
  readonly sharePercent: number
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

export const defaultShadowSharePercent = 10

/** Alerts that are judged at the same time. */
const maxParallel = 2
/** Attempts to judge an alert; each ended with the process, or with an error that is in the log. */
const maxAttempts = 10
/** Delay while the server needs its time for runs, and after an error. */
const laterMs = 1_000
const afterErrorMs = 5_000
/** How often to look for alerts that other nodes have queued. */
const lookMs = 5_000
/** Pause after each alert, as a share of its duration, for the other work of the server. */
const restShare = 0.25
/** Longest wait of a read for its share of a rate limit. */
const maxReadWaitMs = 240_000

export const createShadowWorker = (options: ShadowWorkerOptions): ShadowWorker => new Worker(options)

class Worker implements ShadowWorker {
  readonly #options: ShadowWorkerOptions
  readonly #stopping = new AbortController()
  readonly #onQueued: () => void
  /** By id of the queued alert. */
  readonly #busy = new Map<number, Promise<void>>()
  #working: Promise<void> | undefined
  /** Resolved when an alert is queued. */
  #queued = Promise.withResolvers<void>()

  constructor(options: ShadowWorkerOptions) {
    this.#options = options
    // Alerts are queued within turns of runs, whose context must not be carried into this work.
    this.#onQueued = AsyncResource.bind(() => this.#queued.resolve())
  }

  takeOver(): void {
    const { stores, library } = this.#options
    stores.shadows.watch(library.shadows().flatMap(watchedShadow), this.#onQueued)
  }

  start(): void {
    this.takeOver()
    this.#working ??= this.#work()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#queued.resolve()
    await Promise.allSettled([this.#working, ...this.#busy.values()])
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const { signal } = this.#stopping
    const { clock, log, mayWork, exclusive = onlyProcess } = this.#options
    while (!signal.aborted) {
      this.#queued = Promise.withResolvers()
      try {
        const isMine = await exclusive.isMine('shadows')
        const isIdle = isMine && mayWork() && (await this.#takeUp()) === 0
        if (!isMine) await clock.sleep(lookMs, signal)
        else if (isIdle || this.#busy.size >= maxParallel) await this.#rest(exclusive)
        else if (!mayWork()) await clock.sleep(laterMs, signal)
      } catch (error) {
        if (signal.aborted) return
        log.warn({ error }, 'could not judge shadows; trying again soon')
        await clock.sleep(afterErrorMs, signal).catch(() => {})
      }
    }
  }

  /** Until an alert is queued, or has been judged. */
  async #rest({ isShared }: ExclusiveWork): Promise<void> {
    const { clock } = this.#options
    const over = new AbortController()
    const later = isShared ? [clock.sleep(lookMs, over.signal).catch(() => undefined)] : []
    await Promise.race([this.#queued.promise, ...this.#busy.values(), ...later])
    over.abort()
  }

  /** Begins to judge alerts up to the limit, and gives their number. */
  async #takeUp(): Promise<number> {
    const waiting = await this.#options.stores.shadows.waiting(maxParallel + this.#busy.size)
    const next = waiting.filter(({ id }) => !this.#busy.has(id)).slice(0, maxParallel - this.#busy.size)
    for (const queued of next) {
      const judging = this.#judgeOne(queued).finally(() => this.#busy.delete(queued.id))
      this.#busy.set(queued.id, judging)
    }
    return next.length
  }

  /** Never rejects: what fails is tried again. */
  async #judgeOne(queued: QueuedShadow): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stopping
    const elapsed = () => clock.monotonic?.() ?? clock.now()
    const from = elapsed()
    try {
      await this.#judge(queued)
      await setImmediate()
      await clock.sleep(Math.ceil((elapsed() - from) * restShare), signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof UnavailableError))
        log.error({ playbook: queued.playbookName, alert: queued.alertId, error }, 'could not judge a shadow')
      await clock.sleep(afterErrorMs, signal).catch(() => {})
    }
  }

  async #judge(queued: QueuedShadow): Promise<void> {
    const { stores, library } = this.#options
    const { shadows } = stores
    const playbook = library.shadows().find(({ name }) => name === queued.playbookName)
    if (playbook === undefined) return await shadows.remove(queued)
    const attempts = await shadows.begin(queued)
    if (attempts === undefined) return
    if (attempts > maxAttempts) {
      const message = `judging was interrupted ${maxAttempts} times, by the end of the process or an error`
      return await shadows.finish(queued, unjudged(playbook.hash, { code: 'judging_stopped', message }))
    }
    const [organization] = await stores.organizations.list([queued.organizationUuid])
    // It may belong to another organization since the alert was queued.
    if (organization === undefined || !isFor(playbook, organization.code)) return await shadows.remove(queued)
    const version = { playbook, called: await newestCalled(library, playbook, organization.code) }
    const judged = await this.#compare(queued, version, organization)
    await (judged === undefined ? shadows.remove(queued) : shadows.finish(queued, judged))
  }

  async #compare(queued: QueuedShadow, version: PlaybookVersion, { code, name }: Organization) {
    const { stores } = this.#options
    const { organizationUuid, runUuid } = queued
    const recording = await loadRecording(stores, organizationUuid, runUuid)
    return await judgeShadow(
      queued,
      version,
      recording,
      this.#surroundings({ code, name }),
      this.#stopping.signal,
    )
  }

  #surroundings(organization: ShadowSurroundings['organization']): ShadowSurroundings {
    const { stores, catalogue, library, callerOfSkills, runUrl, sharePercent, clock, log } = this.#options
    const call = callerOfSkills(testCases(organization.code, 'Shadow'))
    return {
      live: sharedReads(call, { catalogue, share: sharePercent / 100, clock, maxWaitMs: maxReadWaitMs }),
      findCase: (...key) => stores.cases.findByKey(...key),
      catalogue,
      connections: stores.connections,
      organization,
      runUrl,
      log,
      versionOf: (recording) => recordedVersion(recording, (hash) => library.byHash(hash)),
    }
  }
}
