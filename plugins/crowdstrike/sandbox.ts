import { isObject, objectsAt, textAt } from 'tocsin/plugin'
import { sandboxWithState } from 'tocsin/plugin/testing'

/** The states of a host after an action: Falcon accepts it first, and the sensor follows. */
const actions: Readonly<Record<string, readonly string[]>> = {
  contain: ['containment_pending', 'contained'],
  lift_containment: ['lift_containment_pending', 'normal'],
}

/** Hosts can be contained and released; each reading of a pending host lets the sensor follow. */
export default sandboxWithState(import.meta.dirname, () => {
  const states = new Map<string, readonly string[]>()
  const read = (device: Readonly<Record<string, unknown>>): object => {
    const id = textAt(device, 'device_id') ?? ''
    const [status, ...later] = states.get(id) ?? []
    if (later.length > 0) states.set(id, later)
    return status === undefined ? device : { ...device, status }
  }
  return (call, recorded) => {
    if (call.pathname === '/devices/entities/devices-actions/v2') {
      const [id = ''] = (call.json() as { readonly ids: readonly string[] }).ids
      const following = actions[call.query.get('action_name') ?? ''] ?? []
      if (states.get(id)?.[0] === following[1] || (recorded?.status === 409 && !states.has(id)))
        return {
          status: 409,
          json: { resources: [], errors: [{ code: 409, message: 'device state conflict' }] },
        }
      states.set(id, following)
      return { status: 202, json: { resources: [{ id }], errors: [] } }
    }
    if (!call.pathname.startsWith('/devices/entities/') || !isObject(recorded?.json)) return recorded
    return {
      ...recorded,
      json: { ...recorded.json, resources: objectsAt(recorded.json, 'resources').map(read) },
    }
  }
})
