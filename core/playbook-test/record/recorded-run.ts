import type { FailedAttempt, JournalEntry, StoredError } from '../../domain/run.ts'
import { ValidationError } from '../../errors/errors.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Catalogue } from '../../registry/catalogue.ts'

/** The part of `GET /runs/<id>` that is used. */
export interface RecordedRun {
  readonly run_uuid: string
  readonly playbook: string
  readonly playbook_hash: string
  readonly organization_code: string
  readonly alert_id?: string | null
  readonly case_id?: string | null
  readonly status: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly trigger?: Readonly<Record<string, unknown>> | null
  readonly started_at: number | null
  readonly output: unknown
  readonly error: StoredError | null
  readonly steps: readonly RecordedStep[]
}

export interface RecordedStep {
  readonly path: string
  readonly step_id: string | null
  readonly kind: string
  readonly started_at: number
  readonly ended_at: number | null
  readonly state: JournalEntry['state']
  readonly input: unknown
  readonly output: unknown
  readonly error: StoredError | null
  readonly failed_attempts: readonly Pick<FailedAttempt, 'error'>[]
  /** A person's decision about an unknown outcome, which cannot happen in a test. */
  readonly resolution?: unknown
}

export interface RecordOptions {
  readonly catalogue: Catalogue
  /** The response of `GET /alerts/<id>`. */
  readonly alert: unknown
  /** The current playbook of that name; without it the path is not written. */
  readonly playbook: Playbook | undefined
  /** Reference to the playbook in the test file. */
  readonly playbookFile: string
}

/** Replaces a step's input and output in a response that is too large. */
const leftOut = '[left out]'

/** @throws ValidationError `run_unusable` unless the run has ended and is complete */
export function checkedRun(given: unknown): RecordedRun {
  const run = given as (Partial<RecordedRun> & { readonly steps_total?: unknown }) | null
  const refuse = (message: string, hint = 'give the answer of GET /runs/<id>') =>
    new ValidationError('run_unusable', message, [], { hint })
  if (
    typeof run !== 'object' ||
    run === null ||
    !Array.isArray(run.steps) ||
    typeof run.playbook !== 'string'
  )
    throw refuse('this is not a run with its steps')
  if (run.status !== 'completed' && run.status !== 'failed' && run.status !== 'cancelled')
    throw refuse(`the run has not ended: it is ${String(run.status)}`)
  const { steps_total: total = run.steps.length, steps } = run
  if (typeof total === 'number' && total > steps.length)
    throw refuse(`the answer contains ${steps.length} of ${total} steps`, 'record a run with fewer steps')
  if ((steps as readonly RecordedStep[]).some(({ input, output }) => input === leftOut && output === leftOut))
    throw refuse('the answer omits inputs and outputs of steps', 'record a run with less data')
  return run as RecordedRun
}

/** YAML would write them as null. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutUndefined(inner)]))
}
