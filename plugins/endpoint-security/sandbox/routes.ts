import type { JsonObject } from 'tocsin/plugin'
import type {
  SandboxBehaviour,
  SandboxCall,
  SandboxHandler,
  SandboxReply,
  SandboxRoutes,
} from 'tocsin/plugin/testing'
import { actionsPermission, permissions, type Permission } from '../permissions.ts'
import { actionStore } from './data/action-store.ts'
import { actionKinds, look, packageUri, queue, resultLink } from './action-routes.ts'
import { alerts } from './data/alerts.ts'
import { entity, failure, notFound } from './answer.ts'
import type { Client } from './data/clients.ts'
import { endpointCommands, type Controls } from './commands.ts'
import { answerList, type Collection } from './data/collection.ts'
import { collections } from './data/collections.ts'
import { endpointFaults } from './faults.ts'
import { indicatorStore } from './data/indicator-store.ts'
import { logonUsersOf, machines } from './data/machines.ts'
import { withRates } from './rate-counter.ts'
import { runQuery } from './query-route.ts'
import { identityProvider } from './token-route.ts'
import { machinesVulnerabilities, recommendations, vulnerabilities } from './data/vulnerabilities.ts'

type Answer = (call: SandboxCall, client: Client) => SandboxReply

type Guard = (needs: Permission, answer: Answer) => SandboxHandler

/** The calls that the plugin uses, with separate state for each running sandbox. */
export function behaviour(tell?: (news: string) => void): SandboxBehaviour<Controls> {
  const provider = identityProvider()
  const actions = actionStore(tell)
  let loseNext = false

  /** Requires one of the permissions. */
  const guarded: Guard = (needs, answer) => (call) => {
    const client = provider.clientOf(call)
    if (client === undefined) return failure(401, 'Unauthorized', 'Invalid or expired authorization header')
    if (needs.some((role) => client.roles.includes(role))) return answer(call, client)
    return failure(403, 'Forbidden', `The application does not have any of the required permissions`)
  }
  const act = (needs: Permission, path: string) =>
    guarded(needs, (call) => {
      const kind = actionKinds[path]
      const answer = kind === undefined ? notFound(path) : queue(actions, kind, call)
      const isLost = loseNext
      loseNext = false
      return isLost ? endpointFaults.gatewayTimeout : answer
    })
  const answer: SandboxRoutes = {
    'POST /login/:tenant/oauth2/v2.0/token': provider.issue,
    'POST /api/machines/:id/isolate': act(permissions.isolate_machine, 'isolate'),
    'POST /api/machines/:id/unisolate': act(permissions.unisolate_machine, 'unisolate'),
    'POST /api/machines/:id/runAntiVirusScan': act(permissions.run_antivirus_scan, 'runAntiVirusScan'),
    'POST /api/machines/:id/collectInvestigationPackage': act(
      permissions.collect_investigation_package,
      'collectInvestigationPackage',
    ),
    'POST /API/machines/:id/runliveresponse': act(permissions.run_live_response, 'runliveresponse'),
    ...actionRoutes(guarded, actions),
    ...recordRoutes(guarded),
    ...indicatorRoutes(guarded),
    'POST /api/advancedqueries/run': guarded(permissions.run_advanced_query, (call) => runQuery(call.json())),
  }
  const controls: Controls = {
    expireTokens: () => provider.expireTokens(),
    loseNextAnswer() {
      loseNext = true
    },
  }
  return {
    answer: withRates(answer),
    controls,
    faults: endpointFaults,
    commands: endpointCommands(actions, controls),
  }
}

function actionRoutes(guarded: Guard, actions: ReturnType<typeof actionStore>): SandboxRoutes {
  const withId = (answer: (id: string) => SandboxReply) =>
    guarded(actionsPermission, ({ params: { id = '' } }) => answer(id))
  return {
    'GET /api/machineactions': guarded(actionsPermission, (call) =>
      answerList(collections.actions, actions.list(), call),
    ),
    'GET /api/machineactions/:id': withId((id) => look(actions, id)),
    'GET /api/machineactions/:id/getPackageUri': withId((id) => packageUri(actions, id)),
    'GET /api/machineactions/:id/:link': withId((id) => resultLink(actions, id)),
  }
}

function recordRoutes(guarded: Guard): SandboxRoutes {
  const list = (needs: Permission, collection: Collection, records: readonly JsonObject[]) =>
    guarded(needs, (call) => answerList(collection, records, call))
  const one = (needs: Permission, kind: string, records: readonly JsonObject[]) =>
    guarded(needs, ({ params: { id = '' } }) => {
      const found = records.find((record) => record['id'] === id)
      return found === undefined ? notFound(`${kind} ${id}`) : entity(kind, found)
    })
  return {
    'GET /api/alerts': guarded(permissions.list_alerts, (call) =>
      answerList(collections.alerts, alertsFor(call), call),
    ),
    'GET /api/alerts/:id': one(permissions.get_alert, 'Alerts', alerts),
    'GET /api/machines': list(permissions.list_machines, collections.machines, machines),
    'GET /api/machines/:id': one(permissions.get_machine, 'Machines', machines),
    'GET /api/machines/:id/logonusers': guarded(permissions.list_machine_logon_users, (call) => {
      const { id = '' } = call.params
      const isKnown = machines.some((machine) => machine['id'] === id)
      return isKnown ? { json: { value: logonUsersOf(id) } } : notFound(`Machine ${id}`)
    }),
    'GET /api/Vulnerabilities': list(
      permissions.list_vulnerabilities,
      collections.vulnerabilities,
      vulnerabilities,
    ),
    'GET /api/vulnerabilities/machinesVulnerabilities': list(
      permissions.list_machines_vulnerabilities,
      collections.machinesVulnerabilities,
      machinesVulnerabilities,
    ),
    'GET /api/recommendations': list(
      permissions.list_recommendations,
      collections.recommendations,
      recommendations,
    ),
  }
}

function indicatorRoutes(guarded: Guard): SandboxRoutes {
  const indicators = indicatorStore()
  const ownOrAll = ({ id, roles }: Client): readonly JsonObject[] =>
    roles.includes('Ti.ReadWrite.All')
      ? indicators.list()
      : indicators.list().filter((indicator) => indicator['createdBy'] === id)
  return {
    'GET /api/indicators': guarded(permissions.list_indicators, (call, client) =>
      answerList(collections.indicators, ownOrAll(client), call),
    ),
    'POST /api/indicators': guarded(permissions.create_indicator, (call, { id }) =>
      indicators.save(call.json(), id),
    ),
    'DELETE /api/indicators/:id': guarded(permissions.delete_indicator, ({ params: { id = '' } }) =>
      indicators.delete(id),
    ),
  }
}

/** Evidence is included only with `$expand=evidence`. */
const alertsFor = ({ query }: SandboxCall): readonly JsonObject[] =>
  query.get('$expand') === 'evidence' ? alerts : alerts.map((alert) => ({ ...alert, evidence: [] }))
