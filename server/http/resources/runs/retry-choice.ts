import { ValidationError } from '../../../../core/errors/errors.ts'
import type { TocsinError } from '../../../../core/plugin/index.ts'
import { retryVersions, type Reruns } from '../../../../core/rerun/reruns.ts'
import type { Scope } from '../../../../core/ports/common.ts'
import { epochMs } from '../system/page.ts'

export const playbookVersion = {
  type: 'string',
  enum: retryVersions,
  default: 'same',
  description: 'Which version runs: that of the run before, or the newest of its name.',
} as const

/** Of a preview, which says it. */
export const plan = {
  type: 'string',
  maxLength: 100,
  description: 'Text that is another one as soon as the retry would do something else than is told here.',
} as const

export const text = { type: 'string' } as const
export const nullable = { type: ['string', 'null'] } as const

/** Of many: why it is not done for one. */
export const whyNot = {
  type: ['object', 'null'],
  description: 'Why there is none: `code`, `message`, `hint`.',
} as const

export const left = {
  type: 'integer',
  description:
    'Runs that are named, or fit the filter, and are left for another request: it takes no new ones after 15 seconds.',
} as const

/** How many runs one request retries. */
export const maxRetries = 100

/** For how long one request begins with further runs, in milliseconds: large ones take seconds each. */
const maxWorkMs = 15_000

export function untilEnough(): () => boolean {
  const from = performance.now()
  return () => performance.now() - from > maxWorkMs
}

export const manyRuns = {
  type: 'object',
  additionalProperties: false,
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
      description: 'Has a `playbook`, an `error`, or both.',
      properties: {
        playbook: { ...text, description: 'Name of the playbook.' },
        error: { ...text, description: 'Code of the error that the run ended with.' },
        created_after: {
          ...epochMs,
          description: 'Queued then or later (epoch milliseconds).',
        },
        created_before: {
          ...epochMs,
          description: 'Queued before then (epoch milliseconds).',
        },
      },
    },
    playbook: playbookVersion,
    plans: {
      type: 'array',
      items: plan,
      maxItems: maxRetries,
      description:
        '`plan` of each preview that was looked at: what would do something else by now is refused (`retry_changed`). Default: none is.',
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

export async function chosenRuns({ runs, filter }: Chosen, scope: Scope, reruns: Pick<Reruns, 'retriable'>) {
  if ((runs === undefined) === (filter === undefined))
    throw invalid('', 'either `runs` or `filter` has to be given')
  if (filter === undefined) return { runUuids: runs ?? [], total: runs?.length ?? 0 }
  const { playbook, error, created_after: createdAfter, created_before: createdBefore } = filter
  // All that ever failed is nothing that somebody means to begin again.
  if (playbook === undefined && error === undefined)
    throw invalid('/filter', '`playbook` or `error` has to be given')
  const wanted = { playbookName: playbook, errorCode: error, createdAfter, createdBefore }
  return await reruns.retriable(scope, wanted, maxRetries)
}

const invalid = (pointer: string, message: string) =>
  new ValidationError('value_invalid', message, [{ pointer, message }])

export const errorView = ({ code, message, hint }: TocsinError) => ({ code, message, ...(hint && { hint }) })
