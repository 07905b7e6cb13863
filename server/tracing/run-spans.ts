import type { FailedAttempt, JournalEntry, Run } from '../../core/domain/run.ts'

/** A run, a step, or a failed attempt of a step. Contains no text of others except error codes. */
export interface RunSpan {
  /** Unique within the run; `''` is the run itself. */
  readonly key: string
  /** Key of the parent span; undefined for the run. */
  readonly parent: string | undefined
  readonly name: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Readonly<Record<string, string | number>>
  /** Error code of a failure. */
  readonly error: string | undefined
}

export interface JournalExport {
  readonly entries: readonly JournalEntry[]
  readonly failedAttempts: readonly FailedAttempt[]
  /** Number of journal entries that are not exported. */
  readonly leftOut: number
}

/**
 * The spans of an ended run, from its journal: the run, its steps, and their failed attempts. They contain
 * names and codes, never inputs, outputs or messages.
 */
export function spansOfRun(
  run: Run,
  organizationCode: string,
  { entries, failedAttempts, leftOut }: JournalExport,
): readonly RunSpan[] {
  const startedAt = run.startedAt ?? run.createdAt
  const endedAt = Math.max(startedAt, run.endedAt ?? startedAt)
  const whole: RunSpan = {
    key: '',
    parent: undefined,
    name: `run ${run.playbookName}`,
    startedAt,
    endedAt,
    attributes: {
      'tocsin.run.id': run.uuid,
      'tocsin.run.status': run.status,
      'tocsin.run.queued_ms': startedAt - run.createdAt,
      'tocsin.playbook.name': run.playbookName,
      'tocsin.playbook.hash': run.playbookHash,
      'tocsin.organization.code': organizationCode,
      ...(run.alertId === null ? {} : { 'tocsin.alert.id': run.alertId }),
      ...(leftOut === 0 ? {} : { 'tocsin.run.steps_left_out': leftOut }),
      ...(run.caseId === null ? {} : { 'tocsin.case.id': run.caseId }),
    },
    error: run.status === 'failed' ? (run.error?.code ?? 'failed') : undefined,
  }
  const done = entries.filter(
    ({ state, carriedFrom }) => state !== 'skipped' && (carriedFrom ?? null) === null,
  )
  const paths = new Set(done.map(({ path }) => path))
  const steps = done.map((entry): RunSpan => ({
    key: entry.path,
    parent: around(entry.path, paths),
    name: entry.stepId === null ? entry.kind : `${entry.stepId} ${entry.kind}`,
    startedAt: entry.startedAt,
    endedAt: Math.max(entry.startedAt, entry.endedAt ?? endedAt),
    attributes: {
      'tocsin.step.path': entry.path,
      'tocsin.step.kind': entry.kind,
      'tocsin.step.state': entry.state,
      'tocsin.step.attempts': entry.attempt,
    },
    error: entry.state === 'failed' ? (entry.error?.code ?? 'failed') : undefined,
  }))
  const tries = failedAttempts
    .filter(({ path }) => paths.has(path))
    .map((attempt): RunSpan => ({
      key: `${attempt.path} ${attempt.attempt}`,
      parent: attempt.path,
      name: `attempt ${attempt.attempt}`,
      startedAt: attempt.startedAt,
      endedAt: Math.max(attempt.startedAt, attempt.endedAt),
      attributes: { 'tocsin.step.path': attempt.path, 'tocsin.step.attempt': attempt.attempt },
      error: attempt.error.code,
    }))
  return [whole, ...steps, ...tries]
}

/** The nearest enclosing step: `a[0]/b#2` is in `a[0]`, which is in `a`. */
function around(path: string, paths: ReadonlySet<string>): string {
  for (let at = path.length - 1; at > 0; at--) {
    const isEdge = path[at] === '/' || path[at] === '[' || path[at] === '#'
    if (isEdge && paths.has(path.slice(0, at))) return path.slice(0, at)
  }
  return ''
}
