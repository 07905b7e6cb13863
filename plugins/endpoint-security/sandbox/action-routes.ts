import { textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxCall, SandboxReply } from 'tocsin/plugin/testing'
import { entity, failure, notFound } from './answer.ts'
import type { ActionStore } from './data/action-store.ts'
import { endpointFixture } from './data/fixture.ts'
import { machines } from './data/machines.ts'

/** Required fields of an action besides the comment, with their allowed values. Names are case-sensitive. */
interface ActionKind {
  readonly type: string
  readonly scope?: { readonly name: string; readonly values: readonly string[]; readonly default?: string }
}

export const actionKinds: Readonly<Record<string, ActionKind>> = {
  isolate: {
    type: 'Isolate',
    scope: { name: 'IsolationType', values: ['Full', 'Selective', 'UnManagedDevice'], default: 'Full' },
  },
  unisolate: { type: 'Unisolate' },
  runAntiVirusScan: { type: 'RunAntiVirusScan', scope: { name: 'ScanType', values: ['Quick', 'Full'] } },
  collectInvestigationPackage: { type: 'CollectInvestigationPackage' },
  runliveresponse: { type: 'LiveResponse' },
}

/** POST `/api/machines/:id/<kind>`. */
export function queue(actions: ActionStore, kind: ActionKind, call: SandboxCall): SandboxReply {
  const { id = '' } = call.params
  if (!machines.some((machine) => machine['id'] === id)) {
    return { status: 404, json: endpointFixture('error-404-machine-not-found') }
  }
  const body = call.json()
  const comment = textAt(body, 'Comment')
  if (comment === null) return { status: 400, json: endpointFixture('error-400-invalid-request-body') }
  const scope = kind.scope && (textAt(body, kind.scope.name) ?? kind.scope.default)
  if (kind.scope && !kind.scope.values.includes(scope ?? '')) {
    return failure(400, 'InvalidInput', `Invalid input ${kind.scope.name}`)
  }
  const commands = kind.type === 'LiveResponse' ? commandsOf(body) : []
  if (commands === undefined) return failure(400, 'MissingRequiredParameter', 'Parameter Commands is missing')
  const requestorComment = comment
  const added = actions.add(id, { type: kind.type, scope: scope ?? null, requestorComment, commands })
  return 'machineId' in added ? entity('MachineActions', added, 201) : added
}

function commandsOf(body: unknown): readonly JsonObject[] | undefined {
  const commands = valueAt(body, 'Commands')
  if (!Array.isArray(commands) || commands.length === 0) return undefined
  return commands.map((command: unknown, index) => ({
    index,
    startTime: null,
    endTime: null,
    commandStatus: 'Created',
    errors: [],
    command,
  }))
}

/** GET `/api/machineactions/:id`. */
export function look(actions: ActionStore, id: string): SandboxReply {
  const action = actions.look(id) ?? actions.list().find((one) => one['id'] === id)
  return action === undefined ? notFound(`Machine action ${id}`) : entity('MachineActions', action)
}

const download = 'https://downloads.example/investigation/package.zip?token=sandbox-download-0001'

/** GET `…/getPackageUri`: a quoted string, once the package exists. */
export function packageUri(actions: ActionStore, id: string): SandboxReply {
  const action = actions.list().find((one) => one['id'] === id)
  const isThere = action?.['type'] === 'CollectInvestigationPackage' && action['status'] === 'Succeeded'
  return isThere ? { json: { value: `"${download}"` } } : notFound(`Package of ${id}`)
}

/** GET `…/GetLiveResponseResultDownloadLink(index=N)`. */
export function resultLink(actions: ActionStore, id: string): SandboxReply {
  const action = actions.list().find((one) => one['id'] === id)
  const isThere = action?.['type'] === 'LiveResponse' && action['status'] === 'Succeeded'
  return isThere ? { json: endpointFixture('live-response-result-link') } : notFound(`Result of ${id}`)
}
