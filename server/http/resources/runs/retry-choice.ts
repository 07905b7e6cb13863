import { ValidationError } from '../../../../core/errors/errors.ts'
import type { Services } from '../../routing/route.ts'
import { within } from '../../request/validate.ts'
import { observableParameter, readObservable } from '../observables/observable-parameter.ts'
import type { TocsinError } from '../../../../core/plugin/index.ts'
import { retryVersions, type RetriableRuns } from '../../../../core/retry/retries.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { epochMs, text } from '../system/page.ts'

export const playbookVersion = {
  type: 'string',
  enum: retryVersions,
  default: 'same',
  description: 'The version to run: that of the earlier run, or the newest with its name.',
} as const

/** For a preview, which reports it. */
export const plan = {
  type: 'string',
  maxLength: 100,
  description: 'Changes whenever the retry would act differently.',
} as const

/** Why one of many runs is not retried. */
export const whyNot = {
  type: ['object', 'null'],
  description: 'Why it is not retried: `code`, `message`, `hint`.',
} as const

export const left = {
  type: 'integer',
  description: 'Further named or matching runs, for another request: after 15 seconds it starts no more.',
} as const

export const next = {
  type: ['string', 'null'],
  description:
    'With `filter`: `after` of the next request, which continues with older runs; null: none are left.',
} as const

/** Maximum number of runs per request. */
export const maxRetries = 100

/** Time in milliseconds after which a request starts no more runs: large ones take seconds each. */
const maxWorkMs = 15_000

export function untilEnough(): () => boolean {
  const from = performance.now()
  return () => performance.now() - from > maxWorkMs
}

export const manyRuns = {
  properties: {
    runs: {
      type: 'array',
      items: text,
      minItems: 1,
      maxItems: maxRetries,
      uniqueItems: true,
      description: 'Uuids.',
    },
    filter: {
      type: 'object',
      additionalProperties: false,
      description: 'Requires one of `playbook`, `error`, `alert`, `case` and `observable`.',
      properties: {
        organization: { ...text, description: 'Code of an organization.' },
        alert: { ...text, description: 'Id of an alert.' },
        case: { ...text, description: 'Id of a case.' },
        observable: observableParameter,
        playbook: { ...text, description: 'Name of the playbook.' },
        error: { ...text, description: 'Code of the error that ended the run.' },
        created_after: {
          ...epochMs,
          description: 'Queued at this time or later (epoch milliseconds).',
        },
        created_before: {
          ...epochMs,
          description: 'Queued before this time (epoch milliseconds).',
        },
      },
    },
    after: {
      ...text,
      description: 'With `filter`: `next` of the previous answer, to continue behind its last run.',
    },
    playbook: playbookVersion,
    plans: {
      type: 'array',
      items: plan,
      maxItems: maxRetries,
      description:
        '`plan` of each preview; a retry that would now act differently is refused (`retry_changed`). Default: no check.',
    },
  },
} as const

interface Chosen {
  readonly runs?: readonly string[] | undefined
  readonly filter?:
    | {
        readonly organization?: string | undefined
        readonly alert?: string | undefined
        readonly case?: string | undefined
        readonly observable?: string | undefined
        readonly playbook?: string | undefined
        readonly error?: string | undefined
        readonly created_after?: number | undefined
        readonly created_before?: number | undefined
      }
    | undefined
  readonly after?: string | undefined
}

interface ChosenRuns extends RetriableRuns {
  readonly isFilter: boolean
}

/** Throws ValidationError `value_invalid`, NotFoundError `run_not_found` for `after`. */
export async function chosenRuns(
  { runs, filter, after }: Chosen,
  scope: OrganizationScope,
  { retries, directory }: Pick<Services, 'retries' | 'directory'>,
): Promise<ChosenRuns> {
  if ((runs === undefined) === (filter === undefined))
    throw invalid('', 'either `runs` or `filter` is required')
  if (filter === undefined) {
    if (after !== undefined) throw invalid('/after', '`after` continues a `filter`; leave it out')
    return { runUuids: runs ?? [], total: runs?.length ?? 0, hasMore: false, isFilter: false }
  }
  const { organization, playbook, error, alert, case: caseId, observable } = filter
  // Retrying every run that ever failed is never intended.
  if ([playbook, error, alert, caseId, observable].every((value) => value === undefined))
    throw invalid('/filter', '`playbook`, `error`, `alert`, `case` or `observable` is required')
  const wanted = {
    playbookName: playbook,
    errorCode: error,
    alertId: alert,
    caseId,
    observable: within('/filter', () => readObservable(observable)),
    createdAfter: filter.created_after,
    createdBefore: filter.created_before,
    before: after,
  }
  const inOrganization = await within('/filter', () => directory.scopeWithin(scope, organization))
  return { ...(await retries.retriable(inOrganization, wanted, maxRetries)), isFilter: true }
}

/** What is left after these runs were done: their number, and where the next request continues. */
export function restOf(
  { total, hasMore, isFilter, runUuids }: ChosenRuns,
  done: readonly { readonly runUuid: string }[],
) {
  const isLeft = hasMore || done.length < runUuids.length
  return {
    left: isLeft ? Math.max(1, total - done.length) : 0,
    next: isFilter && isLeft ? (done.at(-1)?.runUuid ?? null) : null,
  }
}

const invalid = (pointer: string, message: string) =>
  new ValidationError('value_invalid', message, [{ pointer, message }])

export const errorView = ({ code, message, hint }: TocsinError) => ({ code, message, ...(hint && { hint }) })
