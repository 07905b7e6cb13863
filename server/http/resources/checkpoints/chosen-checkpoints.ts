import { isLike } from '../../../../core/checkpoint/checkpoint-batch.ts'
import type { Checkpoint } from '../../../../core/domain/checkpoint.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'

/** Maximum number of questions per request. */
export const maxTogether = 100

const text = { type: 'string' } as const

export const checkpointIds = {
  type: 'array',
  items: text,
  minItems: 1,
  maxItems: maxTogether,
  uniqueItems: true,
  description: 'Ids of checkpoints.',
} as const

export const manyCheckpoints = {
  properties: {
    checkpoints: checkpointIds,
    filter: {
      type: 'object',
      additionalProperties: false,
      required: ['kind', 'organization_code'],
      properties: { kind: { ...text, description: '`kind` of a checkpoint.' }, organization_code: text },
    },
  },
} as const

interface Chosen {
  readonly checkpoints: readonly Checkpoint[]
  readonly gone: number
  readonly left: number
}

interface Choice {
  readonly checkpoints?: readonly string[] | undefined
  readonly filter?: { readonly kind: string; readonly organization_code: string } | undefined
}

/**
 * The open ones, oldest first. Throws ValidationError `value_invalid`, RequestError `checkpoint_not_found`,
 * `unknown_organization`.
 */
export async function chosenCheckpoints(
  { checkpoints, filter }: Choice,
  scope: OrganizationScope,
  services: Services,
): Promise<Chosen> {
  if ((checkpoints === undefined) === (filter === undefined)) {
    const message = 'either `checkpoints` or `filter` is required'
    throw new ValidationError('value_invalid', message, [{ pointer: '', message }])
  }
  if (checkpoints !== undefined) {
    const found = await namedCheckpoints(checkpoints, scope, services)
    const waiting = found.filter(({ state }) => state === 'waiting').toSorted(byAge)
    return { checkpoints: waiting, gone: found.length - waiting.length, left: 0 }
  }
  const { kind, organization_code: code } = filter!
  const { uuid } = await services.directory.organization(scope, code, '/filter/organization_code')
  const page = { limit: maxTogether, oldestFirst: true }
  const { data, total } = await services.stores.checkpoints.list([uuid], page, { state: 'waiting', kind })
  // An edit of the playbook may have changed the answers.
  const alike = data.filter((each) => isLike(data[0]!)(each))
  return { checkpoints: alike, gone: 0, left: total - alike.length }
}

const byAge = (a: Checkpoint, b: Checkpoint): number => a.createdAt - b.createdAt

/** Throws RequestError `checkpoint_not_found`. */
export async function namedCheckpoints(
  checkpoints: readonly string[],
  scope: OrganizationScope,
  { stores }: Pick<Services, 'stores'>,
): Promise<readonly Checkpoint[]> {
  const found: Checkpoint[] = []
  for (const [index, id] of checkpoints.entries()) {
    const checkpoint = await stores.checkpoints.find(scope, id)
    if (checkpoint === undefined) {
      const errors = [{ pointer: `/checkpoints/${index}`, message: 'checkpoint not found' }]
      throw new RequestError('checkpoint_not_found', undefined, { errors })
    }
    found.push(checkpoint)
  }
  return found
}
