import type { Log } from '../../../core/ports/log.ts'
import type { Stores } from '../../../core/ports/stores.ts'
import type { Directory } from './directory.ts'
import { problemDocument } from '../routing/problem.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import type { Caller } from './caller.ts'

export interface RefusedRequest {
  /** Undefined: the credentials are invalid. */
  readonly caller: Caller | undefined
  /** See `Requester`. */
  readonly address: string
  readonly requestId: string
  /** Method and path of the route, e.g. `GET /runs/{run}`. */
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  /** Organization code in the query or the body. */
  readonly organization: string | undefined
}

/** Logs a refusal; ignores other errors. Not awaited. */
export type RecordAccessRefusal = (request: RefusedRequest, error: unknown) => void

type Finder = (id: string) => Promise<unknown>

/**
 * Logs refusals at level info: 401, 403, and 404 for something that belongs to organizations outside the
 * scope of the caller, which the response does not reveal. Repetitions of one kind are counted and logged
 * every ten seconds.
 */
export function createAccessRefusals(stores: Stores, directory: Directory, log: Log): RecordAccessRefusal {
  const say = createRefusalLog(log, 'access refused', 'info')

  /** Finds the missing object of an error in all organizations. */
  const finders: Readonly<Record<string, Finder>> = {
    alert_not_found: (id) => stores.alerts.find('all', id),
    case_not_found: (id) => stores.cases.find('all', id),
    run_not_found: (id) => stores.runs.find('all', id),
    checkpoint_not_found: (id) => stores.checkpoints.find('all', id),
    containment_not_found: (id) => stores.containments.find('all', id),
    playbook_not_found: (name) => stores.playbooks.find('all', name),
    connection_not_found: async (id) =>
      (await stores.connections.list('all')).find(
        ({ uuid, name }) => uuid === id.toLowerCase() || name.toLowerCase() === id.toLowerCase(),
      ),
    account_not_found: async (id) =>
      (await stores.accounts.find(id.toLowerCase())) ?? (await stores.accounts.byEmail(id)),
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
    const { code, status } = problemDocument(error, requestId)
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
      log.warn({ error: failure, request_id: request.requestId }, 'could not record a refused access'),
    )
  }
}
