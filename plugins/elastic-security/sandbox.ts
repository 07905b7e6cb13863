import { isObject, objectsAt, textAt, valueAt } from 'tocsin/plugin'
import { sandboxWithState, type SandboxReply } from 'tocsin/plugin/testing'

interface Action {
  readonly id: string
  readonly command: string
  readonly agent: string
  readonly isCompleted: boolean
}

const shown = ({ agent, ...action }: Action): object => ({
  ...action,
  agents: [agent],
  status: action.isCompleted ? 'successful' : 'pending',
  wasSuccessful: action.isCompleted,
  isExpired: false,
  startedAt: '2026-11-20T09:30:00.000Z',
})

/** Hosts can be isolated and released; the agent follows when the action is read. */
export default sandboxWithState(import.meta.dirname, () => {
  /** The newest first. */
  let actions: readonly Action[] = []
  const ofAgent = (agent: string | null) => actions.filter((action) => action.agent === agent)
  const withState = (endpoint: Readonly<Record<string, unknown>>): object => {
    const metadata = valueAt(endpoint, 'metadata') as object
    const last = ofAgent(textAt(valueAt(metadata, 'agent'), 'id')).find(({ isCompleted }) => isCompleted)
    if (last === undefined) return endpoint
    const state = { isolation: last.command === 'isolate' }
    return { ...endpoint, metadata: { ...metadata, Endpoint: { status: 'enrolled', state } } }
  }
  const queue = (command: string, agent: string, recorded: SandboxReply | undefined): SandboxReply => {
    const known = textAt(valueAt(recorded?.json, 'data'), 'id')
    const id = known ?? `00000000-0000-4000-8000-${String(actions.length).padStart(12, '0')}`
    const action = { id, command, agent, isCompleted: false }
    actions = [action, ...actions]
    return { json: { action: id, data: shown(action) } }
  }
  const finish = (id: string): SandboxReply => {
    actions = actions.map((action) => (action.id === id ? { ...action, isCompleted: true } : action))
    return { json: { data: shown(actions.find((action) => action.id === id)!) } }
  }
  return (call, recorded) => {
    if (call.pathname === '/api/endpoint/action' && recorded !== undefined) {
      const found = ofAgent(call.query.get('agentIds'))
      return found.length === 0 ? recorded : { json: { data: found.map(shown), total: found.length } }
    }
    // Of a POST the command, of a GET the id of an action.
    const [, last = ''] = /^\/api\/endpoint\/action\/([^/]+)$/.exec(call.pathname) ?? []
    if (call.method === 'POST' && last !== '') {
      const { endpoint_ids: ids } = call.json() as { readonly endpoint_ids: readonly string[] }
      return queue(last, ids[0] ?? '', recorded)
    }
    if (actions.some(({ id }) => id === last)) return finish(last)
    if (!call.pathname.startsWith('/api/endpoint/metadata') || !isObject(recorded?.json)) return recorded
    return Array.isArray(valueAt(recorded.json, 'data'))
      ? { ...recorded, json: { ...recorded.json, data: objectsAt(recorded.json, 'data').map(withState) } }
      : { ...recorded, json: withState(recorded.json) }
  }
})
