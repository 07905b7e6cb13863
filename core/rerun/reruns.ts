import { hash } from 'node:crypto'
import type { Actor } from '../domain/audit.ts'
import type { FailedAttempt, JournalEntry, NewRun, Run, RunFilter } from '../domain/run.ts'
import { newRun } from '../engine/turns/queue-run.ts'
import { playbookPath } from '../engine/journal/paths.ts'
import { ConflictError, NotFoundError } from '../errors/errors.ts'
import { createTurns } from '../common/in-turn.ts'
import type { PlaybookLibrary } from '../investigation/playbook-library.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { TocsinError } from '../plugin/index.ts'
import type { Scope } from '../ports/common.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'
import { scopeText } from '../common/scope.ts'
import { stretchesOf } from '../common/stretches.ts'
import { carryOver, type WholePlaybook } from './carry-over.ts'
import type { CarriedStep, RepeatedEffect } from './plan.ts'
import { repeatedEffects } from './repeated-effects.ts'
import { runPruned } from './pruned.ts'
import { runSuperseded } from './superseded.ts'

/** Whether a retry runs the version that the run before ran, or the newest of its name. */
export const retryVersions = ['same', 'newest'] as const
export type RetryVersion = (typeof retryVersions)[number]

/** What a retry would do. */
export interface RetryPreview {
  readonly run: Run
  /** What would run. */
  readonly playbook: Playbook
  /** Text that is another one as soon as the retry would do something else than is told here: another version of a playbook, other steps. */
  readonly plan: string
  /** Every entry of the journal of the run before, in its order. */
  readonly steps: readonly CarriedStep[]
  readonly repeats: readonly RepeatedEffect[]
}

/** What became of one of many. */
export interface OneOfMany<T> {
  readonly runUuid: string
  readonly outcome: { readonly done: T } | { readonly error: TocsinError }
}

/**
 * What is refused for one run stops no other.
 *
 * @param isEnough The others are left for another time. Asked after each run, so that the first one is done in any case.
 */
export async function oneAfterAnother<T>(
  runUuids: readonly string[],
  work: (runUuid: string) => Promise<T>,
  isEnough: () => boolean,
): Promise<readonly OneOfMany<T>[]> {
  const results: OneOfMany<T>[] = []
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

/** Runs that go on from where an earlier one failed. A run is gone on from once: what fails again is retried from there. */
export interface Reruns {
  /**
   * Throws NotFoundError `run_not_found`, `playbook_not_found`, ConflictError `run_not_ended`, `nothing_to_retry`, `run_pruned` for one whose steps are kept no longer, `run_superseded` where
   * something later has gone on from the run or its alert, and ValidationError `inputs_invalid` for an edited playbook that needs others.
   */
  preview(scope: Scope, runUuid: string, version: RetryVersion): Promise<RetryPreview>
  /**
   * Queues the run. Throws as `preview` does, and ConflictError `alert_move_forbidden` for an alert whose investigation has not ended, and
   * `retry_changed` where it would do something else than what was looked at.
   *
   * @param plans Of previews that were looked at. Default: whatever it does is meant.
   */
  retry(
    scope: Scope,
    runUuid: string,
    version: RetryVersion,
    by: Actor,
    plans?: readonly string[],
  ): Promise<Run>
  /** The newest of the failed runs that nothing has gone on from. */
  retriable(
    scope: Scope,
    filter: Omit<RunFilter, 'retriable'>,
    limit: number,
  ): Promise<{ readonly runUuids: readonly string[]; readonly total: number }>
}

export interface RerunsOptions {
  readonly stores: Pick<Stores, 'runs' | 'lines' | 'alerts' | 'organizations' | 'playbooks'>
  readonly library: Pick<PlaybookLibrary, 'byHash' | 'newest'>
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly enqueue: (run: Run) => void
  /** Told of runs that end without having begun. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

/** Of a journal read at once: others are served in between. */
const piece = { lines: 1_000, bytes: 4_000_000 }

interface Plan extends RetryPreview {
  readonly next: NewRun
}

export function createReruns(options: RerunsOptions): Reruns {
  const { runs } = options.stores
  /** A journal can be large: one at a time is held, and who sees the same organizations waits in one queue. */
  const inTurn = createTurns()
  const preview = (scope: Scope, runUuid: string, version: RetryVersion): Promise<Plan> =>
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
      const page = await runs.list(scope, { ...filter, retriable: true }, { limit })
      return { runUuids: page.data.map(({ uuid }) => uuid), total: page.total }
    },
  }
}

/** What a retry of the run would do, and the run that it would queue. */
async function planRetry(
  options: RerunsOptions,
  scope: Scope,
  runUuid: string,
  version: RetryVersion,
): Promise<Plan> {
  const { stores, library, catalogue } = options
  const run = await requireRetriable(stores.runs, scope, runUuid)
  const old = await library.byHash(run.playbookHash)
  const playbook = version === 'same' ? old : await newestOf(options, run)
  if (run.status === 'completed' && playbook.hash === old.hash) throw nothingToRetry(run)
  const [{ entries, failed }, organizations, alert] = await Promise.all([
    journalOf(stores.lines, run),
    stores.organizations.list([run.organizationUuid]),
    run.alertId === null ? undefined : stores.alerts.find([run.organizationUuid], run.alertId),
  ])
  const inputs = Object.fromEntries(Object.entries(run.inputs).filter(([name]) => playbook.inputs.has(name)))
  const organization = organizations[0]!
  const next = newRun({ playbook, organization, alert, inputs, ...(alert ? { retry: true } : {}) })
  const before = { playbook: old, inputs: run.inputs, called: await calledBy(library, entries) }
  const called = version === 'same' ? before.called : await callable(library, playbook)
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

/** A run that has ended, is kept, and that nothing later has gone on from. */
async function requireRetriable(runs: Stores['runs'], scope: Scope, runUuid: string): Promise<Run> {
  const run = await runs.find(scope, runUuid)
  if (run === undefined) throw new NotFoundError('run_not_found', `there is no run ${runUuid}`)
  if (run.endedAt === null)
    throw new ConflictError('run_not_ended', `the run ${run.uuid} is ${run.status}: cancel it first, or wait`)
  if (await runs.isSuperseded(run.uuid)) throw runSuperseded(run.uuid)
  if (run.prunedAt !== null) throw runPruned(run.uuid)
  return run
}

async function newestOf(
  { library, stores }: RerunsOptions,
  { organizationUuid, playbookName }: Run,
): Promise<Playbook> {
  const hash =
    library.newest(playbookName) ?? (await stores.playbooks.find([organizationUuid], playbookName))?.hash
  if (hash !== undefined) return await library.byHash(hash)
  throw new NotFoundError('playbook_not_found', `there is no playbook '${playbookName}' any more`)
}

async function journalOf(journals: Stores['lines'], { uuid }: Run) {
  const entries: JournalEntry[] = []
  const failed: FailedAttempt[] = []
  for await (const lines of stretchesOf(journals, uuid, piece))
    for (const line of lines) {
      entries.push(line.entry)
      failed.push(...line.failedAttempts)
    }
  return { entries, failed }
}

/** The versions that a run settled. */
async function calledBy(
  library: RerunsOptions['library'],
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

/** The newest versions of all that it calls, and that these call. */
async function callable(
  library: RerunsOptions['library'],
  playbook: Playbook,
  found = new Map<string, Playbook>(),
): Promise<WholePlaybook['called']> {
  for (const name of playbook.calls) {
    const hash = found.has(name) ? undefined : library.newest(name)
    if (hash === undefined) continue
    found.set(name, await library.byHash(hash))
    await callable(library, found.get(name)!, found)
  }
  return found
}

interface Planned extends Pick<RetryPreview, 'run' | 'playbook' | 'repeats'> {
  readonly called: WholePlaybook['called']
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
  return new ConflictError(
    'retry_changed',
    `a retry of ${runUuid} would do something else than its preview told`,
    {
      hint: 'look at the preview again: a playbook was changed meanwhile',
    },
  )
}

function nothingToRetry({ uuid }: Run): ConflictError {
  return new ConflictError('nothing_to_retry', `the run ${uuid} completed, and its playbook is the same`, {
    hint: 'POST alerts/<alert>/investigate begins anew',
  })
}
