import { isObject, objectsAt, textAt } from 'tocsin/plugin'
import { sandboxWithState } from 'tocsin/plugin/testing'

/** The states of a machine after an action: the console queues it first, and the agent follows. */
const actions: Readonly<Record<string, readonly string[]>> = {
  '/web/api/v2.1/agents/actions/disconnect': ['disconnecting', 'disconnected'],
  '/web/api/v2.1/agents/actions/connect': ['connecting', 'connected'],
}

/** Machines can be disconnected and reconnected; each reading of a pending agent lets it follow. */
export default sandboxWithState(import.meta.dirname, () => {
  const states = new Map<string, readonly string[]>()
  const read = (agent: Readonly<Record<string, unknown>>): object => {
    const id = textAt(agent, 'id') ?? ''
    const [networkStatus, ...later] = states.get(id) ?? []
    if (later.length > 0) states.set(id, later)
    return networkStatus === undefined ? agent : { ...agent, networkStatus }
  }
  return (call, recorded) => {
    const following = actions[call.pathname]
    if (following !== undefined) {
      const { filter } = call.json() as { readonly filter: { readonly ids: readonly string[] } }
      const [id = ''] = filter.ids
      const isThere = states.get(id)?.[0] === following[1]
      if (isThere) return { json: { data: { affected: 0 } } }
      if (recorded !== undefined && JSON.stringify(recorded.json).includes('"affected":0')) return recorded
      states.set(id, following)
      return { json: { data: { affected: 1 } } }
    }
    if (call.pathname !== '/web/api/v2.1/agents' || !isObject(recorded?.json)) return recorded
    return { ...recorded, json: { ...recorded.json, data: objectsAt(recorded.json, 'data').map(read) } }
  }
})
