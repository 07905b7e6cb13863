import {
  containmentStates,
  standingStates,
  type Containment,
} from '../../../../core/destructive/containment.ts'
import { PlaybookError } from '../../../../core/errors/playbook-error.ts'
import type { RunRequest } from '../../../../core/engine/turns/queue-run.ts'
import { generateTrial } from '../../../../core/investigation/generate-trial.ts'
import { skillView, type CatalogueSkill } from '../../../../core/registry/catalogue.ts'
import { operators, readers } from '../../caller/caller.ts'
import { RequestError } from '../../request/request-error.ts'
import { component, defineRoute, type Services } from '../../routing/route.ts'
import { recallNewRun, runView } from '../runs/run-view.ts'
import { pageOf, pageParameters, pageSchema, pageView, sortByAge } from '../system/page.ts'

const listContainments = defineRoute({
  method: 'GET',
  path: '/containments',
  access: readers,
  summary: 'Lists containments, newest first: actions that stay in effect until they are undone.',
  answer: pageSchema(component('containment')),
  query: {
    ...pageParameters,
    organization: { type: 'string', description: 'Code of an organization.' },
    case: { type: 'string', description: 'Id of a case.' },
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
    const { case: caseId, state = 'standing' } = query
    const states = state === 'all' ? undefined : state === 'standing' ? standingStates : [state]
    const page = await stores.containments.list(scope, pageOf(query), { states, caseId })
    return { body: await pageView(page, (one) => containmentView(one, services)) }
  },
})

const undoContainment = defineRoute({
  method: 'POST',
  path: '/containments/{containment}/undo',
  access: operators,
  summary:
    'Undoes a containment: starts a run that calls the undoing skill, with the limits and approvals of every run.',
  status: 201,
  answer: component('run'),
  recall: recallNewRun,
  async handle({ params, caller }, services) {
    const { stores, directory, control } = services
    const found = await stores.containments.find(caller.scope, params.containment)
    if (found === undefined) throw new RequestError('containment_not_found')
    const code = await directory.organizationCode(found.organizationUuid)
    const organization = await directory.organization(caller.scope, code, '/organization')
    const run = await control.start({
      ...(await undoingCall(found, services)),
      organization,
      caseId: found.caseId ?? undefined,
      undoes: found.id,
      by: caller.actor,
    })
    return { body: await runView(run, directory), location: `/runs/${run.uuid}` }
  },
})

export const containmentRoutes = [listContainments, undoContainment]

/** The playbook of the call that undoes it, with its inputs. Throws RequestError `containment_without_undo`. */
async function undoingCall(
  { id, undoneBy, connection, organizationUuid }: Containment,
  { stores, catalogue, playbooks }: Services,
): Promise<Pick<RunRequest, 'playbook' | 'inputs'>> {
  const input = await stores.containments.undoInput(id)
  const skill = catalogue.skill(undoneBy)
  if (input === undefined || skill === undefined) {
    const why = skill === undefined ? `${undoneBy} is not installed` : `the input of ${undoneBy} is unknown`
    throw new RequestError('containment_without_undo', why, { hint: 'undo it in the other system' })
  }
  const { source, inputs } = generateTrial(skill, connection ?? undefined, input, {
    undoes: true,
  })
  try {
    return { playbook: await playbooks.keep(source, { origin: 'trial', organizationUuid }), inputs }
  } catch (error) {
    if (!(error instanceof PlaybookError)) throw error
    const problem = error.problems.find(({ severity }) => severity === 'error')
    throw new RequestError('containment_without_undo', problem?.message, {
      hint: problem?.hint ?? 'undo it in the other system',
    })
  }
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
