import { hash } from 'node:crypto'
import type { Actor } from '../domain/audit.ts'
import type { FailedAttempt, JournalEntry, NewRun, Run, RunFilter } from '../domain/run.ts'
import type { Organization } from '../domain/organization.ts'
import { newRun } from '../engine/turns/queue-run.ts'
import { playbookPath } from '../engine/journal/paths.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import { createTurns } from '../common/in-turn.ts'
import type { PlaybookLibrary } from '../investigation/playbook-library.ts'
import { newestCalled } from '../investigation/playbook-versions.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { TocsinError } from '../plugin/index.ts'
import type { OrganizationScope } from '../ports/common.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { scopeText } from '../common/scope.ts'
import { journalChunks } from '../common/journal-chunks.ts'
import { carryOver, type PlaybookWithCalls } from './carry-over.ts'
import { type CarriedStep, type RepeatedEffect, repeatedEffects } from './plan.ts'
import { runPruned, runSuperseded } from './refused.ts'

/** Whether a retry uses the earlier run's version of the playbook or the newest. */
export const retryVersions = ['same', 'newest'] as const
export type RetryVersion = (typeof retryVersions)[number]

/** A preview of a retry. */
export interface RetryPreview {
  readonly run: Run
  /** The playbook that would run. */
  readonly playbook: Playbook
  /**
   * Identifies this preview; changes if the retry would do something else, e.g. with another version of a
   * playbook.
   */
  readonly plan: string
  /** Every entry of the earlier run's journal, in order. */
  readonly steps: readonly CarriedStep[]
  readonly repeats: readonly RepeatedEffect[]
}

/** The result of one of several retries. */
export interface SequentialResult<T> {
  readonly runUuid: string
  readonly outcome: { readonly done: T } | { readonly error: TocsinError }
}

/**
 * Retries runs one by one. A refused run does not stop the others.
 *
 * @param isEnough Returns true to leave the remaining runs. Called after each run, so at least one is done.
 */
export async function runSequentially<T>(
  runUuids: readonly string[],
  work: (runUuid: string) => Promise<T>,
  isEnough: () => boolean,
): Promise<readonly SequentialResult<T>[]> {
  const results: SequentialResult<T>[] = []
  for (const runUuid of runUuids) {
    if (results.length > 0 && isEnough()) break
    try {
      results.push({ runUuid, outcome: { done: await work(runUuid) } })
    } catch (error) {
      if (!(error instanceof TocsinError)) throw error
      results.push({ runUuid, outcome: { error } })
    }
  }
  return results
}

/** Retries failed runs. Each run is retried once; if the retry fails, retry that run. */
export interface Retries {
  /**
   * Throws NotFoundError `run_not_found`, `playbook_not_found`, ConflictError `run_not_ended`,
   * `nothing_to_retry`, `run_pruned` if its steps were deleted, `run_superseded` if a later run retried it or
   * investigated its alert, and ValidationError `inputs_invalid` if the edited playbook needs other inputs.
   */
  preview(scope: OrganizationScope, runUuid: string, version: RetryVersion): Promise<RetryPreview>
  /**
   * Queues the run. Throws like `preview`, and ConflictError `alert_move_forbidden` if the alert is still
   * under investigation, and `retry_changed` if it would differ from its preview.
   *
   * @param plans The `plan` of previews. Default: not compared.
   */
  retry(
    scope: OrganizationScope,
    runUuid: string,
    version: RetryVersion,
    by: Actor,
    plans?: readonly string[],
  ): Promise<Run>
  /** The newest failed runs that were not retried. Throws NotFoundError `run_not_found` if there is no run `before`. */
  retriable(
    scope: OrganizationScope,
    filter: Omit<RunFilter, 'retriable'>,
    limit: number,
  ): Promise<RetriableRuns>
}

export interface RetriableRuns {
  readonly runUuids: readonly string[]
  /** Including further ones. */
  readonly total: number
  /** Whether there are further ones. */
  readonly hasMore: boolean
}

export interface RetriesOptions {
  readonly stores: Pick<Stores, 'runs' | 'journalReader' | 'alerts' | 'organizations' | 'playbooks'>
  readonly library: Pick<PlaybookLibrary, 'byHash' | 'newest'>
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly enqueue: (run: Run) => void
  /** Called for runs that end without having started. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

/** Size of the journal chunks; other tasks get a turn in between. */
const piece = { lines: 1_000, bytes: 4_000_000 }

interface Plan extends RetryPreview {
  readonly next: NewRun
}

export function createRetries(options: RetriesOptions): Retries {
  const { runs } = options.stores
  /** A journal can be large, so one is held at a time; callers with the same organizations share a queue. */
  const inTurn = createTurns()
  const preview = (scope: OrganizationScope, runUuid: string, version: RetryVersion): Promise<Plan> =>
    inTurn(scopeText(scope), () => planRetry(options, scope, runUuid, version))
  return {
    preview,
    async retry(scope, runUuid, version, by, plans) {
      const { next, plan: found } = await preview(scope, runUuid, version)
      if (plans?.includes(found) === false) throw retryChanged(runUuid)
      const run = await runs.queue({ ...next, by })
      if (run.endedAt === null) options.enqueue(run)
      else options.onRunEnded?.(run)
      return run
    },
    async retriable(scope, filter, limit) {
      if (filter.before !== undefined && (await runs.find(scope, filter.before)) === undefined)
        throw new NotFoundError('run_not_found', `there is no run ${filter.before}`)
      const page = await runs.list(scope, { ...filter, retriable: true }, { limit })
      return {
        runUuids: page.data.map(({ uuid }) => uuid),
        total: page.total,
        hasMore: page.nextCursor !== null,
      }
    },
  }
}

/** Plans a retry and the run that it queues. */
async function planRetry(
  options: RetriesOptions,
  scope: OrganizationScope,
  runUuid: string,
  version: RetryVersion,
): Promise<Plan> {
  const { stores, library, catalogue } = options
  const run = await requireRetriable(stores.runs, scope, runUuid)
  const old = await library.byHash(run.playbookHash)
  const organization = (await stores.organizations.list([run.organizationUuid]))[0]!
  const playbook = version === 'same' ? old : await newestOf(options, run, organization)
  if (run.status === 'completed' && playbook.hash === old.hash) throw nothingToRetry(run)
  const [{ entries, failed }, alert] = await Promise.all([
    journalOf(stores.journalReader, run),
    run.alertId === null ? undefined : stores.alerts.find([run.organizationUuid], run.alertId),
  ])
  const inputs = Object.fromEntries(Object.entries(run.inputs).filter(([name]) => playbook.inputs.has(name)))
  const next = newRun({
    playbook,
    organization,
    alert,
    inputs,
    trigger: run.trigger,
    ...(alert ? { retry: true } : {}),
  })
  const before = { playbook: old, inputs: run.inputs, called: await calledBy(library, entries) }
  const called = version === 'same' ? before.called : await newestCalled(library, playbook, organization.code)
  const steps = await carryOver(run, entries, before, { playbook, inputs: next.inputs ?? {}, called })
  const paths = steps.filter(({ reason }) => reason === null).map(({ entry }) => entry.path)
  const repeats = repeatedEffects(steps, failed, catalogue)
  return {
    run,
    playbook,
    plan: planOf({ run, playbook, called, paths, repeats }),
    steps,
    repeats,
    next: { ...next, carriesOver: { runUuid: run.uuid, paths } },
  }
}

/** Checks that the run has ended, is not pruned, and was not retried. */
async function requireRetriable(
  runs: Stores['runs'],
  scope: OrganizationScope,
  runUuid: string,
): Promise<Run> {
  const run = await runs.find(scope, runUuid)
  if (run === undefined) throw new NotFoundError('run_not_found', `there is no run ${runUuid}`)
  if (run.endedAt === null)
    throw new ConflictError('run_not_ended', `the run ${run.uuid} is ${run.status}: cancel it first, or wait`)
  if (await runs.isSuperseded(run.uuid)) throw runSuperseded(run.uuid)
  if (run.prunedAt !== null) throw runPruned(run.uuid)
  return run
}

async function newestOf(
  { library, stores }: RetriesOptions,
  { organizationUuid, playbookName }: Run,
  { code }: Organization,
): Promise<Playbook> {
  const hash =
    library.newest(playbookName, code) ??
    (await stores.playbooks.find([organizationUuid], playbookName))?.hash
  if (hash !== undefined) return await library.byHash(hash)
  throw new NotFoundError('playbook_not_found', `the playbook '${playbookName}' no longer exists`)
}

async function journalOf(journals: Stores['journalReader'], { uuid }: Run) {
  const entries: JournalEntry[] = []
  const failed: FailedAttempt[] = []
  for await (const lines of journalChunks(journals, uuid, piece))
    for (const line of lines) {
      entries.push(line.entry)
      failed.push(...line.failedAttempts)
    }
  return { entries, failed }
}

/** The versions of called playbooks that the run used. */
async function calledBy(
  library: RetriesOptions['library'],
  entries: readonly { readonly path: string; readonly output: unknown }[],
) {
  const called = new Map<string, Playbook>()
  for (const { path, output } of entries) {
    const { name, hash } = (output ?? {}) as { readonly name?: unknown; readonly hash?: unknown }
    if (typeof name !== 'string' || typeof hash !== 'string' || path !== playbookPath(name)) continue
    called.set(name, await library.byHash(hash))
  }
  return called
}

interface Planned extends Pick<RetryPreview, 'run' | 'playbook' | 'repeats'> {
  readonly called: PlaybookWithCalls['called']
  readonly paths: readonly string[]
}

function planOf({ run, playbook, called, paths, repeats }: Planned): string {
  const versions = Array.from(called, ([name, { hash: version }]) => `${name} ${version}`).toSorted()
  const again = repeats.map(({ entry, repeat }) => [entry.path, repeat])
  return hash('sha256', JSON.stringify([run.uuid, playbook.hash, versions, paths, again]), 'base64url').slice(
    0,
    22,
  )
}

function retryChanged(runUuid: string): ConflictError {
  return new ConflictError('retry_changed', `a retry of ${runUuid} would differ from its preview`, {
    hint: 'request the preview again: a playbook was changed',
  })
}

function nothingToRetry({ uuid }: Run): ConflictError {
  return new ConflictError('nothing_to_retry', `the run ${uuid} completed, and its playbook is the same`, {
    hint: 'POST alerts/<alert>/investigate starts from the beginning',
  })
}
