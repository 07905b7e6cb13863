import {
  containmentStates,
  standingStates,
  type Containment,
  type Extension,
} from '../../../../core/destructive/containment.ts'
import { ValidationError } from '../../../../core/errors/errors.ts'
import { hintForDuration, parseDurationMs } from '../../../../core/playbook/language/durations.ts'
import { textAt } from '../../../../core/plugin/index.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Stores } from '../../../../core/ports/stores.ts'
import { undoingRun } from '../../../../core/destructive/undo-run.ts'
import { skillView, type CatalogueSkill } from '../../../../core/registry/catalogue.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { recallNewRun, runView } from '../runs/run-view.ts'
import { undoOfCase, undoOfRun } from './undo-many.ts'
import { lastTime, pageOf, pageParameters, pageSchema, pageView, sortByAge } from '../system/page.ts'

const listContainments = defineRoute({
  method: 'GET',
  path: '/containments',
  access: 'runs:read',
  summary: 'Lists containments, newest first: actions that stay in effect until they are undone.',
  answer: pageSchema(component('containment')),
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    case: { type: 'string', description: 'Id of a case.' },
    run: { type: 'string', description: 'Uuid of the run that contains.' },
    state: {
      type: 'string',
      enum: ['standing', ...containmentStates, 'all'],
      default: 'standing',
      description: 'State of the containment; `standing`: all but `undone`.',
    },
    sort: sortByAge,
  },
  async handle({ query, caller }, services) {
    const { stores, directory } = services
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const { case: caseId, run: runUuid, state = 'standing' } = query
    const states = state === 'all' ? undefined : state === 'standing' ? standingStates : [state]
    const page = await stores.containments.list(scope, pageOf(query), { states, caseId, runUuid })
    return { body: await pageView(page, (one) => containmentView(one, services)) }
  },
})

const undoContainment = defineRoute({
  method: 'POST',
  path: '/containments/{containment}/undo',
  access: 'runs:write',
  summary:
    'Undoes a containment: starts a run that calls the undoing skill, with the limits and approvals of every run.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  async handle({ params, caller }, services) {
    const { stores, directory, control } = services
    const found = await requireContainment(stores, caller.scope, params.containment)
    const run = await control.start({ ...(await undoingRun(found, services)), by: caller.actor })
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

const extendContainment = defineRoute({
  method: 'POST',
  path: '/containments/{containment}/extend',
  access: 'runs:write',
  summary: 'Changes when a containment is undone: to a time, by a time, or never without a person.',
  answer: component('containment'),
  // A repeated `by` would extend it twice.
  once: true,
  recall: {
    keeps: (extended) => textAt(extended, 'id'),
    answer: async (id, { caller }, services) => ({
      body: await containmentView(
        await requireContainment(services.stores, caller.scope, String(id)),
        services,
      ),
    }),
  },
  body: {
    properties: {
      until: {
        type: ['integer', 'null'],
        minimum: 0,
        maximum: lastTime,
        description: 'When it expires (epoch milliseconds); null: only people undo it.',
      },
      by: {
        type: 'string',
        maxLength: 100,
        description:
          'How much later it expires, such as `4h`; counted from now if it has expired or has no expiry.',
      },
    },
  },
  async handle({ params, body, caller }, services) {
    const { stores } = services
    const extension = extensionOf(body)
    const { id } = await requireContainment(stores, caller.scope, params.containment)
    const extended = await stores.containments.extend(id, extension, caller.actor)
    return { body: await containmentView(extended, services) }
  },
})

export const containmentRoutes = [listContainments, undoContainment, extendContainment, undoOfCase, undoOfRun]

/** Throws ValidationError `value_invalid`, RequestError `field_missing`. */
function extensionOf({
  until,
  by,
}: {
  readonly until?: number | null | undefined
  readonly by?: string | undefined
}): Extension {
  const invalid = (message: string, pointer: string) =>
    new ValidationError('value_invalid', message, [{ pointer, message }])
  if (until !== undefined && by !== undefined) throw invalid('give until or by, not both', '/by')
  if (until !== undefined) return { until }
  if (by === undefined) throw invalid('until or by is required', '')
  const byMs = parseDurationMs(by)
  if (byMs === undefined) throw invalid(`by must be a duration: ${hintForDuration(by)}`, '/by')
  if (byMs === 0) throw invalid('by must be longer than 0', '/by')
  return { byMs }
}

/** Throws RequestError `containment_not_found`. */
async function requireContainment(
  { containments }: Pick<Stores, 'containments'>,
  scope: OrganizationScope,
  id: string,
): Promise<Containment> {
  const found = await containments.find(scope, id)
  if (found === undefined) throw new RequestError('containment_not_found')
  return found
}

/** A containment as the API shows it. */
export async function containmentView(one: Containment, { catalogue, directory }: ViewServices) {
  const skill = catalogue.skill(one.action.skill)
  const { stateBy, stateUnreadable } = statesOf(skill)
  return {
    containment_id: one.id,
    organization_code: await directory.organizationCode(one.organizationUuid),
    case_id: one.caseId,
    reason: one.caseTitle,
    state: one.state,
    action: one.action,
    connection: one.connection,
    undone_by: one.undoneBy,
    can_undo: one.hasUndo,
    undo_run_uuid: one.undoRunUuid,
    owner: one.owner,
    expires_at: one.expiresAt,
    unless: one.unless,
    note: one.note,
    state_by: stateBy,
    state_unreadable: stateUnreadable,
    state_seen: one.stateSeen,
    state_seen_since: one.seenSince,
    state_checked_at: one.stateCheckedAt,
    state_error: one.stateError,
    ended_by: one.endedBy,
    created_at: one.createdAt,
    changed_at: one.changedAt,
  }
}

type ViewServices = Pick<Services, 'catalogue' | 'directory'>

/** How its state is read, as its plugin says now. */
function statesOf(found: CatalogueSkill | undefined) {
  if (found === undefined) return { stateBy: null, stateUnreadable: null }
  const { state_by: stateBy, state_unreadable: stateUnreadable } = skillView(found)
  return { stateBy, stateUnreadable }
}
