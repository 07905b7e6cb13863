import { AsyncResource } from 'node:async_hooks'
import type { Alert } from '../domain/alert.ts'
import type { CaseEvent } from '../domain/case.ts'
import type { Organization } from '../domain/organization.ts'
import type { Run, RunEvent } from '../domain/run.ts'
import { UnavailableError } from '../errors/errors.ts'
import { isFor } from '../playbook/check/owner.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { EventOutcome, NotedEvent, ReachedCount, WantedEvents } from '../ports/runs/trigger-store.ts'
import type { Stores } from '../ports/stores.ts'
import { entityCounts } from './entity-counts.ts'
import {
  caseStarts,
  entityStarts,
  noStarts,
  questionStarts,
  runStarts,
  type EventStarts,
} from './starts-of-event.ts'

/** Starts runs for changes of cases and for observables in alerts. */
export interface EventDispatcher {
  /** Begins to note the events that live playbooks wait for, and settles those that an earlier process left. */
  start(): void
  /** The live playbooks changed. */
  takeOver(): void
  /** Resolves when no event is being settled. */
  stop(): Promise<void>
}

export interface EventDispatcherOptions {
  readonly stores: Pick<Stores, 'organizations' | 'alerts' | 'triggers'>
  readonly clock: Clock
  readonly log: Log
  readonly playbooks: () => readonly Playbook[]
  /** False while the organization's queue is full: its events wait. */
  readonly accepting: (organizationUuid: string) => boolean
  readonly enqueue: (run: Run) => void
  /** Whether other nodes settle events too: those of a lost node are looked for. Default false. */
  readonly isShared?: boolean | undefined
  /** Called for runs that end before they begin. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

/** Events that are read at a time. */
const batch = 100

/**
 * Delay before events are retried after an error of the store, or while the queue of their organization is
 * full.
 */
const retryMs = 5_000

/** Longest sleep while a question waits: another one may be due earlier. Other nodes may leave events. */
const lookMs = 5_000

export function createEventDispatcher(options: EventDispatcherOptions): EventDispatcher {
  return new Dispatcher(options)
}

class Dispatcher implements EventDispatcher {
  readonly #options: EventDispatcherOptions
  readonly #stopping = new AbortController()
  readonly #onNoted: () => void
  #working: Promise<void> | undefined
  /** An event was noted since the current round began. */
  #isNoted = false
  #retry: Promise<void> | undefined
  #look: Promise<void> | undefined
  /** Content hashes of playbooks whose failing `where` was logged. */
  readonly #logged = new Set<string>()

  constructor(options: EventDispatcherOptions) {
    this.#options = options
    // Events are noted within requests and runs, whose context must not be carried into this work.
    this.#onNoted = AsyncResource.bind(() => this.#wake())
  }

  start(): void {
    this.takeOver()
    this.#wake()
  }

  takeOver(): void {
    const { stores, playbooks } = this.#options
    stores.triggers.watch(wantedBy(playbooks()), this.#onNoted)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled([this.#working, this.#retry, this.#look])
  }

  #wake(): void {
    this.#isNoted = true
    if (this.#stopping.signal.aborted) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
      if (this.#isNoted) this.#wake()
    })
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    const full = new Set<string>()
    try {
      for (;;) {
        this.#isNoted = false
        const events = await this.#options.stores.triggers.pending(batch, [...full])
        if (events.length === 0 || this.#stopping.signal.aborted) break
        for (const { organizationUuid } of events)
          if (!this.#options.accepting(organizationUuid)) full.add(organizationUuid)
        await this.#settleAll(events.filter(({ organizationUuid }) => !full.has(organizationUuid)))
      }
      await this.#lookForQuestions()
    } catch (error) {
      this.#options.log.error(
        { error },
        'could not settle the events that start playbooks; trying again soon',
      )
      this.#retryLater()
    }
    if (full.size > 0) this.#retryLater()
  }

  /** A question becomes an event when it has waited long enough. */
  async #lookForQuestions(): Promise<void> {
    const { stores, clock, isShared = false } = this.#options
    const at = (await stores.triggers.nextQuestionAt()) ?? Infinity
    if (at === Infinity && !isShared) return
    const { signal } = this.#stopping
    this.#look ??= clock.sleep(Math.min(at - clock.now(), lookMs), signal).then(
      () => this.#lookAgain(),
      () => {},
    )
  }

  #retryLater(): void {
    const { signal } = this.#stopping
    this.#isNoted = false
    this.#retry ??= this.#options.clock.sleep(retryMs, signal).then(
      () => this.#tryAgain(),
      () => {},
    )
  }

  #lookAgain(): void {
    this.#look = undefined
    this.#wake()
  }

  #tryAgain(): void {
    this.#retry = undefined
    this.#wake()
  }

  /** Together, so that they share a commit. */
  async #settleAll(events: readonly NotedEvent[]): Promise<void> {
    const results = await Promise.allSettled(events.map((event) => this.#settle(event)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  async #settle(event: NotedEvent): Promise<void> {
    const { enqueue, onRunEnded } = this.#options
    const runs = await this.#settleNow(event).catch((error: unknown) => this.#giveUp(event, error))
    for (const run of runs ?? []) {
      if (run.endedAt === null) enqueue(run)
      else onRunEnded?.(run)
    }
  }

  async #settleNow(event: NotedEvent): Promise<readonly Run[] | undefined> {
    const [organization] = await this.#options.stores.organizations.list([event.organizationUuid])
    return organization && (await this.#settleIn(event, organization))
  }

  /** Ends an event that no retry can settle, so that it does not hold up others. */
  async #giveUp(event: NotedEvent, error: unknown): Promise<readonly Run[] | undefined> {
    if (error instanceof UnavailableError) throw error
    const { log, stores } = this.#options
    log.error({ error, kind: event.subject.kind }, 'could not start playbooks for an event')
    const notes = ['No playbook was started for this change: see the log of the server.']
    return await stores.triggers.settle(event, { runs: [], notes })
  }

  async #settleIn(event: NotedEvent, organization: Organization): Promise<readonly Run[] | undefined> {
    const { stores, playbooks: live } = this.#options
    const { subject } = event
    const playbooks = live().filter((playbook) => isFor(playbook, organization.code))
    if (subject.kind === 'run')
      return await stores.triggers.settle(
        event,
        this.#outcome(runStarts(playbooks, organization, subject.trigger)),
      )
    if (subject.kind === 'question') {
      const { isWaiting, waitedMs, trigger } = subject
      const starts = isWaiting ? questionStarts(playbooks, organization, trigger, waitedMs) : noStarts
      return await stores.triggers.settle(event, this.#outcome(starts))
    }
    if (subject.kind === 'case')
      return await stores.triggers.settle(
        event,
        this.#outcome(caseStarts(playbooks, organization, subject.trigger, subject.caseId)),
      )
    const counting = playbooks.filter(({ entityTrigger }) => entityTrigger !== undefined)
    const alert = await this.#alertOf(event, subject.alertId)
    const counts =
      alert === undefined
        ? []
        : entityCounts(counting, alert, organization, (playbook, error) => this.#logOnce(playbook, error))
    const starts = (reached: readonly ReachedCount[]) =>
      this.#outcome(entityStarts(counting, organization, alert!, reached, subject.at))
    return await stores.triggers.settleAlert(event, counts, starts)
  }

  async #alertOf({ organizationUuid }: NotedEvent, id: string | null): Promise<Alert | undefined> {
    return id === null ? undefined : await this.#options.stores.alerts.find([organizationUuid], id)
  }

  #outcome(starts: EventStarts): EventOutcome {
    for (const { playbook, error } of starts.refused) this.#logOnce(playbook, error)
    return {
      runs: starts.runs,
      notes: starts.refused.map(
        ({ playbook, reason }) => `The playbook ${playbook.name} was not started: ${reason}.`,
      ),
    }
  }

  /** Logs once per version of a playbook, because events of an unexpected shape may arrive in thousands. */
  #logOnce({ name, hash }: Playbook, error: unknown): void {
    if (this.#logged.has(hash)) return
    this.#logged.add(hash)
    this.#options.log.warn(
      { playbook: name, error },
      'an event did not start the playbook, or an alert was not counted',
    )
  }
}

function wantedBy(playbooks: readonly Playbook[]): WantedEvents {
  return {
    caseEvents: new Set<CaseEvent>(playbooks.flatMap(({ caseTrigger }) => caseTrigger?.events ?? [])),
    runEvents: new Set<RunEvent>(playbooks.flatMap(({ runTrigger }) => runTrigger?.events ?? [])),
    questionDelays: new Set(
      playbooks.flatMap(({ questionTrigger }) => (questionTrigger ? [questionTrigger.afterMs] : [])),
    ),
    entities: playbooks.some(({ entityTrigger }) => entityTrigger !== undefined),
  }
}
