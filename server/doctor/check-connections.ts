import { credentialAgeDays, credentialDays, type Connection } from '../../core/domain/connection.ts'
import { ConnectionError } from '../../core/plugin/index.ts'
import type { Stores } from '../../core/ports/stores.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { SecretResolver } from '../../core/skill/connection/secret-resolver.ts'
import { tryConnection } from '../../core/skill/call/authenticate.ts'
import { systemClock } from '../clock.ts'
import type { ClosableEgress } from '../egress/egress.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

const patienceMs = 15_000

export interface ConnectionChecks {
  readonly stores: Pick<Stores, 'connections' | 'organizations'>
  readonly catalogue: Catalogue
  readonly egress: ClosableEgress
  readonly secrets: Pick<SecretResolver, 'resolve'>
}

/** Tests the credentials of every connection, as `authenticate` does, without recording the results. */
export async function checkConnections(options: ConnectionChecks): Promise<readonly Finding[]> {
  const { stores } = options
  const [connections, organizations] = await Promise.all([
    stores.connections.list('all'),
    stores.organizations.list('all'),
  ])
  if (connections.length === 0) return [ok('connections', 'none configured')]
  const codes = new Map(organizations.map(({ uuid, code }) => [uuid, code]))
  return await Promise.all(
    connections.map((connection) =>
      checkOne(
        options,
        connection,
        `connection ${codes.get(connection.organizationUuid) ?? ''}/${connection.name}`,
      ),
    ),
  )
}

async function checkOne(
  { stores, catalogue, egress, secrets }: ConnectionChecks,
  connection: Connection,
  check: string,
): Promise<Finding> {
  const { plugin, name, organizationUuid, enabled } = connection
  const definition = catalogue.connection(plugin)
  if (!enabled) return ok(check, 'disabled, not tested')
  if (definition === undefined)
    return problem(
      check,
      `its plugin '${plugin}' is not installed`,
      'install it (TOCSIN_PLUGINS), or delete the connection',
    )
  try {
    const stored = await stores.connections.open(organizationUuid, name)
    if (stored === undefined) return ok(check, 'just deleted')
    const signal = AbortSignal.timeout(patienceMs)
    const open = await secrets.resolve(stored, { signal })
    const said = await tryConnection({ egress, clock: systemClock }, definition, open, signal)
    const whose = said.account === undefined ? '' : ` (${said.account})`
    if (said.warning !== undefined)
      return warning(check, `${said.warning}${whose}`, 'see the README of the plugin')
    return ageOf(connection, check, whose)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return problem(
        check,
        `the other system did not answer within ${patienceMs / 1000} seconds`,
        'check the address of the connection, and whether a firewall blocks it',
      )
    if (error instanceof ConnectionError && error.code === 'sign_in_expired')
      return ok(check, 'signed in, but not tested: only the server renews the expired access token')
    return problemOf(check, error, 'see the README of the plugin')
  }
}

function ageOf(connection: Connection, check: string, whose: string): Finding {
  const { lastFailure } = connection
  if (lastFailure !== null)
    return warning(
      check,
      `the credentials work, but the last use was answered with ${lastFailure.code} (${new Date(lastFailure.at).toISOString()})`,
      'look at the steps of that time: the account may lack a permission',
    )
  const days = credentialAgeDays(connection, systemClock.now())
  return days !== null && days >= credentialDays
    ? warning(
        check,
        `the credentials work, but are ${days} days old`,
        `replace them every ${credentialDays} days`,
      )
    : ok(check, `the credentials work${whose}`)
}
