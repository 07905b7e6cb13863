import { ValidationError } from '../../../../core/errors/errors.ts'
import type { TocsinError } from '../../../../core/plugin/index.ts'
import { retryVersions, type Retries } from '../../../../core/retry/retries.ts'
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
      description: 'Requires `playbook`, `error`, or both.',
      properties: {
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
        readonly playbook?: string | undefined
        readonly error?: string | undefined
        readonly created_after?: number | undefined
        readonly created_before?: number | undefined
      }
    | undefined
}

export async function chosenRuns(
  { runs, filter }: Chosen,
  scope: OrganizationScope,
  retries: Pick<Retries, 'retriable'>,
) {
  if ((runs === undefined) === (filter === undefined))
    throw invalid('', 'either `runs` or `filter` is required')
  if (filter === undefined) return { runUuids: runs ?? [], total: runs?.length ?? 0 }
  const { playbook, error, created_after: createdAfter, created_before: createdBefore } = filter
  // Retrying every run that ever failed is never intended.
  if (playbook === undefined && error === undefined)
    throw invalid('/filter', '`playbook` or `error` is required')
  const wanted = { playbookName: playbook, errorCode: error, createdAfter, createdBefore }
  return await retries.retriable(scope, wanted, maxRetries)
}

const invalid = (pointer: string, message: string) =>
  new ValidationError('value_invalid', message, [{ pointer, message }])

export const errorView = ({ code, message, hint }: TocsinError) => ({ code, message, ...(hint && { hint }) })
