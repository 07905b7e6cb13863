import { isObject, objectsAt, textAt, valueAt } from 'tocsin/plugin'
import { sandboxWithState, type SandboxReply } from 'tocsin/plugin/testing'

interface Action {
  readonly command: string
  readonly agent: string
}

/** Hosts can be isolated and released; the agent follows when the action is read. */
export default sandboxWithState(import.meta.dirname, () => {
  const actions = new Map<string, Action>()
  const isolated = new Map<string, boolean>()
  const withState = (endpoint: Readonly<Record<string, unknown>>): object => {
    const state = isolated.get(textAt(valueAt(valueAt(endpoint, 'metadata'), 'agent'), 'id') ?? '')
    if (state === undefined) return endpoint
    const { metadata } = endpoint as { readonly metadata: object }
    return {
      ...endpoint,
      metadata: { ...metadata, Endpoint: { status: 'enrolled', state: { isolation: state } } },
    }
  }
  const queue = (command: string, agent: string, recorded: SandboxReply | undefined): SandboxReply => {
    const id =
      textAt(valueAt(recorded?.json, 'data'), 'id') ??
      `00000000-0000-4000-8000-00000000${1000 + actions.size}`
    actions.set(id, { command, agent })
    return {
      json: { action: id, data: { id, command, agents: [agent], status: 'pending', isCompleted: false } },
    }
  }
  const finish = (id: string, { command, agent }: Action): SandboxReply => {
    isolated.set(agent, command === 'isolate')
    const ended = { status: 'successful', isCompleted: true, wasSuccessful: true, isExpired: false }
    return { json: { data: { id, command, agents: [agent], ...ended } } }
  }
  return (call, recorded) => {
    // Of a POST the command, of a GET the id of an action.
    const [, last = ''] = /^\/api\/endpoint\/action\/([^/]+)$/.exec(call.pathname) ?? []
    if (call.method === 'POST' && last !== '') {
      const {
        endpoint_ids: [agent = ''],
      } = call.json() as { readonly endpoint_ids: readonly string[] }
      return queue(last, agent, recorded)
    }
    const action = actions.get(last)
    if (action !== undefined) return finish(last, action)
    if (!call.pathname.startsWith('/api/endpoint/metadata') || !isObject(recorded?.json)) return recorded
    return Array.isArray(valueAt(recorded.json, 'data'))
      ? { ...recorded, json: { ...recorded.json, data: objectsAt(recorded.json, 'data').map(withState) } }
      : { ...recorded, json: withState(recorded.json) }
  }
})
