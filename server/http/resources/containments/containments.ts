import {
  containmentStates,
  standingStates,
  type Containment,
} from '../../../../core/destructive/containment.ts'
import { readers } from '../../caller/caller.ts'
import type { Directory } from '../../caller/directory.ts'
import { component, defineRoute } from '../../routing/route.ts'
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
  async handle({ query, caller }, { stores, directory }) {
    const scope = await directory.scopeWithin(caller.scope, query.organization)
    const { case: caseId, state = 'standing' } = query
    const states = state === 'all' ? undefined : state === 'standing' ? standingStates : [state]
    const page = await stores.containments.list(scope, pageOf(query), { states, caseId })
    return { body: await pageView(page, (one) => containmentView(one, directory)) }
  },
})

export const containmentRoutes = [listContainments]

/** A containment as the API shows it. */
export const containmentView = async (one: Containment, directory: Directory) => ({
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
  created_at: one.createdAt,
  changed_at: one.changedAt,
})
