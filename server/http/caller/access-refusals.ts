import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Directory } from './directory.ts'
import { problemOf } from '../routing/problem.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import type { Caller } from './caller.ts'

/** A request that somebody was not allowed to make. */
export interface RefusedRequest {
  /** Undefined: nobody is known by the credentials of the request. */
  readonly caller: Caller | undefined
  /** See `Requester`. */
  readonly address: string
  readonly requestId: string
  /** Method and path of the route, e.g. `GET /runs/{run}`. */
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  /** Code of the organization that the query or the body names. */
  readonly organization: string | undefined
}

/** Logs what an error refuses, if it does; nobody waits for it. */
export type RecordAccessRefusal = (request: RefusedRequest, error: unknown) => void

type Finder = (id: string) => Promise<unknown>

/**
 * Refusals at level info: who, what, to what, and why. 401 and 403; and 404 where what was asked for belongs to organizations that the caller
 * does not see, which the answer does not tell. Of one kind, one line at once and one with the number of the rest every ten seconds.
 */
export function createAccessRefusals(stores: Stores, directory: Directory, log: Log): RecordAccessRefusal {
  const say = createRefusalLog(log, 'access refused', 'info')

  /** How to find, in all organizations, what an error says is not there. */
  const finders: Readonly<Record<string, Finder>> = {
    alert_not_found: (id) => stores.alerts.find('all', id),
    case_not_found: (id) => stores.cases.find('all', id),
    run_not_found: (id) => stores.runs.find('all', id),
    checkpoint_not_found: (id) => stores.checkpoints.find('all', id),
    playbook_not_found: (name) => stores.playbooks.find('all', name),
    connection_not_found: async (id) =>
      (await stores.connections.list('all')).find(
        ({ uuid, name }) => uuid === id.toLowerCase() || name.toLowerCase() === id.toLowerCase(),
      ),
    key_not_found: async (id) =>
      (await stores.keys.list()).find((key) => key.id === id.toLowerCase() || key.uuid === id.toLowerCase()),
    organization_not_found: organizationOf,
    unknown_organization: organizationOf,
  }

  function organizationOf(code: string): Promise<unknown> {
    return directory.organization('all', code, '').catch(() => undefined)
  }

  async function isElsewhere(
    code: string,
    { caller, params, organization }: RefusedRequest,
  ): Promise<boolean> {
    if (caller === undefined || caller.scope === 'all') return false
    const find = Object.hasOwn(finders, code) ? finders[code] : undefined
    const wanted = find === organizationOf ? [organization, ...Object.values(params)] : Object.values(params)
    const id = wanted.find((text) => text !== undefined)
    return find !== undefined && id !== undefined && (await find(id)) !== undefined
  }

  async function record(request: RefusedRequest, error: unknown): Promise<void> {
    const { caller, address, requestId, action, params, organization } = request
    const { code, status } = problemOf(error, requestId)
    const isRefused = status === 401 || status === 403
    if (!isRefused && !(await isElsewhere(code, request))) return
    const actor = caller === undefined ? { kind: 'stranger', id: address } : caller.actor
    const object = [...Object.values(params), ...(organization === undefined ? [] : [organization])].join(' ')
    say([actor.kind, actor.id, action, code].join(' '), {
      actor_kind: actor.kind,
      actor: actor.id,
      address,
      action,
      object: object.slice(0, 200),
      status,
      code,
      ...(!isRefused && { reason: 'belongs to another organization' }),
      request_id: requestId,
    })
  }

  return (request, error) => {
    record(request, error).catch((failure: unknown) =>
      log.warn({ error: failure, request_id: request.requestId }, 'a refusal of access was not recorded'),
    )
  }
}
