import type { SandboxRequest } from 'tocsin/plugin'
import type { JsonObject } from '../json.ts'
import { getAlert, listAlerts, loadAlerts } from './alert-routes.ts'
import { alertError, enrichmentError, type Answer } from './answer.ts'
import { enrich } from './enrichment-routes.ts'
import { fixture } from './fixture.ts'
import {
  loadPlaybookAlerts,
  playbookAlertDetails,
  searchPlaybookAlerts,
  type PlaybookAlerts,
} from './playbook-alert-routes.ts'
import { loadRecords, type Records } from './records.ts'

/** The one key that may do everything. */
export const apiKey = 'b1946ac92492d2347c6235b4d2611184'
/** Valid, but of a subscription tier that includes nothing: 403. */
export const basicTierKey = '591785b794601e212b260e25925636fd'

export interface Knowledge {
  readonly records: Records
  readonly alerts: readonly JsonObject[]
  readonly playbookAlerts: PlaybookAlerts
}

export function loadKnowledge(): Knowledge {
  return { records: loadRecords(), alerts: loadAlerts(), playbookAlerts: loadPlaybookAlerts() }
}

/** What the provider answers to a request. */
export function answer(knowledge: Knowledge, tokenHeader: string, request: SandboxRequest): Answer {
  const key = request.headers[tokenHeader.toLowerCase()]
  if (key === basicTierKey) return { status: 403, json: fixture('error-403') }
  if (key !== apiKey) return { status: 401, json: fixture('error-401') }
  const { pathname, searchParams } = new URL(request.path, 'http://sandbox')
  if (pathname.startsWith('/playbook-alert/')) return playbookAlertRoute(knowledge, request, pathname)
  if (request.method !== 'GET') return alertError(405, 'Method not allowed')
  if (pathname.startsWith('/v2/'))
    return enrich(knowledge.records, pathname.slice('/v2/'.length), searchParams)
  if (pathname === '/alert/v3') return listAlerts(knowledge.alerts, searchParams)
  if (pathname.startsWith('/alert/v3/'))
    return getAlert(knowledge.alerts, pathname.slice('/alert/v3/'.length))
  return enrichmentError(404, 'No such route')
}

function playbookAlertRoute(
  { playbookAlerts }: Knowledge,
  request: SandboxRequest,
  pathname: string,
): Answer {
  const [segment = '', id, ...more] = pathname.slice('/playbook-alert/'.length).split('/')
  if (more.length > 0) return alertError(404, 'No such route')
  const wanted = segment === 'common' ? 'GET' : 'POST'
  if (request.method !== wanted) return alertError(405, 'Method not allowed')
  if (id === undefined) {
    return segment === 'search'
      ? searchPlaybookAlerts(playbookAlerts, request.body)
      : alertError(404, 'No such route')
  }
  return playbookAlertDetails(playbookAlerts, segment, decodeURIComponent(id))
}
