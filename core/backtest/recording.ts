import type { Alert } from '../domain/alert.ts'
import type { FailedAttempt, JournalEntry, Run } from '../domain/run.ts'
import { playbookPath } from '../engine/journal/paths.ts'
import type { CalledByName } from '../playbook-test/read/playbook-test.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { Stores } from '../ports/stores.ts'

/** An alert with the run that investigated it. */
export interface RecordedAlert {
  readonly run: Run
  readonly alert: Alert
  /** In the order in which the steps began. */
  readonly entries: readonly JournalEntry[]
  readonly failedAttempts: ReadonlyMap<string, readonly FailedAttempt[]>
}

/** Why an alert could not be judged. Branch on `code`. */
export interface Unjudged {
  readonly code: string
  readonly message: string
}

export type RecordingStores = Pick<Stores, 'runs' | 'alerts' | 'journalReader'>

/** A longer journal is not replayed. */
const maxLines = 5_000
const maxBytes = 8 * 1024 * 1024
const chunkLines = 500

/** Loads the recording of a run, or tells why it cannot be used. */
export async function loadRecording(
  { runs, alerts, journalReader }: RecordingStores,
  organizationUuid: string,
  runUuid: string,
): Promise<RecordedAlert | Unjudged> {
  const scope = [organizationUuid]
  const run = await runs.find(scope, runUuid)
  if (run === undefined) return { code: 'run_deleted', message: 'the recorded run was deleted' }
  const unusable = unusableRun(run)
  if (unusable !== undefined) return unusable
  const alert = run.alertId === null ? undefined : await alerts.find(scope, run.alertId)
  if (alert === undefined) return { code: 'alert_deleted', message: 'the alert was deleted' }
  const entries: JournalEntry[] = []
  const failedAttempts = new Map<string, readonly FailedAttempt[]>()
  let bytes = 0
  for (let after: number | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const chunk = await journalReader.readChunk(run.uuid, { after, lines: chunkLines, bytes: maxBytes })
    for (const { entry, failedAttempts: failed } of chunk.lines) {
      entries.push(entry)
      if (failed.length > 0) failedAttempts.set(entry.path, failed)
      bytes += sizeOf(entry.input) + sizeOf(entry.output)
    }
    if (entries.length > maxLines || bytes > maxBytes)
      return {
        code: 'run_too_large',
        message: `the recorded run has more than ${maxLines} steps or 8 MiB of data`,
      }
    after = chunk.next
  }
  return { run, alert, entries, failedAttempts }
}

const sizeOf = (value: unknown): number =>
  value === null || value === undefined ? 0 : JSON.stringify(value, bigints).length
const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

function unusableRun({ status, prunedAt, startedAt, error }: Run): Unjudged | undefined {
  if (prunedAt !== null)
    return {
      code: 'run_pruned',
      message: 'the steps of the recorded run were deleted by the retention policy',
    }
  if (status === 'cancelled') return { code: 'run_cancelled', message: 'the recorded run was cancelled' }
  if (status !== 'completed' && status !== 'failed')
    return { code: 'run_not_ended', message: `the recorded run has not ended: it is ${status}` }
  if (startedAt === null)
    return { code: 'run_not_started', message: error?.message ?? 'the recorded run never started' }
  return undefined
}

/** A run of the playbook to replay. */
export interface RecordedRunKey {
  readonly runUuid: string
  readonly alertId: string
  /** When the run was queued, in epoch milliseconds. */
  readonly at: number
}

export interface WantedRuns {
  readonly organizationUuid: string
  readonly playbookName: string
  /** Epoch milliseconds. */
  readonly since: number
  readonly until: number
  /** Number of alerts. */
  readonly limit: number
}

/** Runs examined per wanted alert: an alert can have several runs, and a run may have no alert. */
const runsPerAlert = 10

/** The latest run of each alert that the playbook investigated, newest first. */
export async function recordedRuns(
  { runs }: Pick<Stores, 'runs'>,
  { organizationUuid, playbookName, since, until, limit }: WantedRuns,
): Promise<readonly RecordedRunKey[]> {
  const found = new Map<string, RecordedRunKey>()
  const filter = { playbookName, createdAfter: since, createdBefore: until }
  let cursor: string | undefined
  for (let left = limit * runsPerAlert; left > 0; left -= 200) {
    const page = await runs.list([organizationUuid], filter, { limit: 200, cursor })
    for (const { uuid, alertId, createdAt } of page.data) {
      if (alertId === null || found.has(alertId)) continue
      found.set(alertId, { runUuid: uuid, alertId, at: createdAt })
      if (found.size >= limit) return [...found.values()]
    }
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  return [...found.values()]
}

/** A version of a playbook with the playbooks that it calls. */
export interface PlaybookVersion {
  readonly playbook: Playbook
  readonly called: CalledByName
}

/** The version that a recorded run used, with the playbooks that it called. */
export async function recordedVersion(
  { run, entries }: RecordedAlert,
  byHash: (hash: string) => Promise<Playbook>,
): Promise<PlaybookVersion> {
  const called = await Promise.all(
    entries
      .flatMap((entry) => calledIn(entry))
      .map(async ({ name, hash }) => [name, await byHash(hash)] as const),
  )
  return { playbook: await byHash(run.playbookHash), called: new Map(called) }
}

function calledIn({
  path,
  output,
}: JournalEntry): readonly { readonly name: string; readonly hash: string }[] {
  if (!path.startsWith('@playbooks/')) return []
  const { name, hash } = (output ?? {}) as { readonly name?: unknown; readonly hash?: unknown }
  return typeof name === 'string' && typeof hash === 'string' && path === playbookPath(name)
    ? [{ name, hash }]
    : []
}
