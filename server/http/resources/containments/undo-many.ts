import { standingStates, type Containment } from '../../../../core/destructive/containment.ts'
import { undoingRun } from '../../../../core/destructive/undo-run.ts'
import { NotFoundError } from '../../../../core/errors/errors.ts'
import { TocsinError } from '../../../../core/plugin/index.ts'
import type { ContainmentFilter } from '../../../../core/ports/runs/containment-store.ts'
import { type Caller } from '../../caller/caller.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { requireCase } from '../cases/read-case.ts'
import { errorView, untilEnough } from '../runs/retry-choice.ts'
import { requireRun } from '../runs/run-view.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'

/** Maximum number of containments per request. */
const maxUndone = 100

const body = {
  properties: {
    containments: {
      type: 'array',
      items: text,
      minItems: 1,
      maxItems: maxUndone,
      uniqueItems: true,
      description:
        'Ids: only these are undone, such as those that a person confirmed. Default: all that stand.',
    },
  },
} as const

const answer = objectSchema({
  data: {
    type: 'array',
    items: objectSchema({
      containment_id: text,
      run_uuid: { ...textOrNull, description: 'The run that undoes it; null: none was started.' },
      error: {
        type: ['object', 'null'],
        description: 'Why none was started: `code`, `message`, `hint`.',
      },
    }),
  },
  left: {
    type: 'integer',
    description: 'Further containments, for another request: after 15 seconds it starts no more runs.',
  },
})

const summary = (of: string): string =>
  `Undoes the containments of ${of}, the newest first: starts a run for each of up to ${maxUndone}, with the limits and approvals of every run.`

export const undoOfCase = defineRoute({
  method: 'POST',
  path: '/cases/{case}/containments/undo',
  once: true,
  access: 'runs:write',
  summary: summary('a case'),
  answer,
  body,
  async handle({ params, body: given, caller }, services) {
    const { id, organizationUuid } = await requireCase(services, caller.scope, params.case)
    return { body: await undoAll({ organizationUuid, filter: { caseId: id } }, given, caller, services) }
  },
})

export const undoOfRun = defineRoute({
  method: 'POST',
  path: '/runs/{run}/containments/undo',
  once: true,
  access: 'runs:write',
  summary: summary('a run'),
  answer,
  body,
  async handle({ params, body: given, caller }, services) {
    const { uuid: runUuid, organizationUuid } = await requireRun(caller.scope, params.run, services)
    return { body: await undoAll({ organizationUuid, filter: { runUuid } }, given, caller, services) }
  },
})

interface Place {
  readonly organizationUuid: string
  readonly filter: ContainmentFilter
}

async function undoAll(
  { organizationUuid, filter }: Place,
  { containments: named }: { readonly containments?: readonly string[] | undefined },
  { actor }: Caller,
  services: Services,
) {
  const { stores, control } = services
  const all = named === undefined ? { ...filter, states: standingStates } : filter
  const { data, total } = await stores.containments.list([organizationUuid], { limit: maxUndone }, all)
  const chosen =
    named?.map((id) => ({ id, found: find(data, id) })) ?? data.map((found) => ({ id: found.id, found }))
  const isEnough = untilEnough()
  const results: unknown[] = []
  for (const { id, found } of chosen) {
    if (results.length > 0 && isEnough()) break
    const result = { containment_id: id, run_uuid: null, error: null }
    try {
      const one = found ?? (await requireIn(services, organizationUuid, filter, id))
      const run = await control.start({ ...(await undoingRun(one, services)), by: actor })
      results.push({ ...result, run_uuid: run.uuid })
    } catch (error) {
      if (!(error instanceof TocsinError)) throw error
      results.push({ ...result, error: errorView(error) })
    }
  }
  return { data: results, left: (named?.length ?? total) - results.length }
}

const find = (all: readonly Containment[], id: string) => all.find((one) => one.id === id)

/** Throws NotFoundError `containment_not_found`, also for a containment of another case or run. */
async function requireIn(
  { stores }: Pick<Services, 'stores'>,
  organizationUuid: string,
  { caseId, runUuid }: ContainmentFilter,
  id: string,
): Promise<Containment> {
  const found = await stores.containments.find([organizationUuid], id)
  const isThere = runUuid === undefined ? found?.caseId === caseId : found?.action.run_uuid === runUuid
  if (found === undefined || !isThere)
    throw new NotFoundError('containment_not_found', 'there is no such containment here')
  return found
}
