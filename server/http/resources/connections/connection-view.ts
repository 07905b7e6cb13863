import {
  credentialAgeDays,
  credentialDays,
  failureText,
  signInProblem,
  type Connection,
  type ConnectionNote,
} from '../../../../core/domain/connection.ts'
import type { ConnectionDefinition } from '../../../../core/plugin/index.ts'
import type { OrganizationScope } from '../../../../core/ports/common.ts'
import type { Catalogue } from '../../../../core/registry/catalogue.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'

export async function connectionView(
  connection: Connection,
  services: Pick<Services, 'directory' | 'clock' | 'catalogue' | 'publicUrl'>,
) {
  const { directory, clock } = services
  const age = credentialAgeDays(connection, clock.now())
  const { lastFailure } = connection
  return {
    connection_uuid: connection.uuid,
    organization_code: await directory.organizationCode(connection.organizationUuid),
    organization_uuid: connection.organizationUuid,
    name: connection.name,
    plugin: connection.plugin,
    settings: connection.settings,
    secret_references: connection.secretReferences,
    enabled: connection.enabled,
    credential_age_days: age,
    broken: connection.broken,
    last_failure: lastFailure,
    sign_in: signInView(connection, services),
    warnings: [
      ...(age !== null && age >= credentialDays ? [credentialsOld(age, connection)] : []),
      ...signInWarnings(connection, services),
      ...(connection.warning === null ? [] : [connection.warning]),
      ...(lastFailure === null ? [] : [{ reason: failureText(lastFailure), at: lastFailure.at }]),
    ],
    revision: connection.revision,
    created_at: connection.createdAt,
    modified_at: connection.modifiedAt,
  }
}

type SignInServices = Pick<Services, 'clock' | 'catalogue' | 'publicUrl'>

/** Why a sign-in is needed; undefined if it is not. */
export const neededSignIn = (
  { plugin, signIn }: Connection,
  { clock, catalogue }: Pick<SignInServices, 'clock' | 'catalogue'>,
): ConnectionNote | undefined =>
  catalogue.connection(plugin)?.signIn === undefined ? undefined : signInProblem(signIn, clock.now())

/** Null: the plugin has no sign-in. */
function signInView(connection: Connection, services: SignInServices) {
  const { plugin, signIn } = connection
  if (services.catalogue.connection(plugin)?.signIn === undefined) return null
  return {
    needed: neededSignIn(connection, services) ?? null,
    redirect_uri: redirectUri(services.publicUrl(), plugin),
    signed_in_at: signIn?.at ?? null,
    signed_in_by: signIn?.by ?? null,
    account: signIn?.account ?? null,
    scope: signIn?.scope ?? null,
    expires_at: signIn?.expiresAt ?? null,
    renewed_at: signIn?.renewedAt ?? null,
  }
}

/**
 * The redirect URI of a sign-in. Each plugin has its own, so that an answer of one vendor cannot be used for
 * another.
 */
export const redirectUri = (publicUrl: string, plugin: string): string =>
  `${publicUrl}/oauth/callback/${plugin.replaceAll('_', '-')}`

function signInWarnings(connection: Connection, services: SignInServices): readonly ConnectionNote[] {
  const needed = neededSignIn(connection, services)
  if (needed === undefined) return []
  return [{ reason: `sign-in needed: ${needed.reason}`, at: needed.at || connection.createdAt }]
}

function credentialsOld(age: number, { secretsAt }: Connection): ConnectionNote {
  const reason = `the credentials are ${age} days old; replace them every ${credentialDays} days`
  return { reason, at: (secretsAt ?? 0) + credentialDays * 86_400_000 }
}

/** Selects a connection if several organizations have one with that name. */
export const connectionQuery = {
  organization: {
    type: 'string',
    description: 'Code of an organization; required if several have a connection with that name.',
  },
} as const

/**
 * Finds a connection by uuid, or by name ignoring case.
 *
 * @throws RequestError `connection_not_found`, `connection_name_ambiguous`, `unknown_organization`
 */
export async function namedConnection(
  scope: OrganizationScope,
  name: string,
  organization: string | undefined,
  { stores, directory }: Pick<Services, 'stores' | 'directory'>,
): Promise<Connection> {
  const within = await directory.scopeWithin(scope, organization)
  const wanted = name.toLowerCase()
  const all = await stores.connections.list(within)
  const byUuid = all.find(({ uuid }) => uuid === wanted)
  if (byUuid !== undefined) return byUuid
  const [found, another] = all.filter((connection) => connection.name.toLowerCase() === wanted)
  if (found === undefined) {
    throw new RequestError('connection_not_found', undefined, {
      hint: 'GET connections lists the connections of this API key',
    })
  }
  if (another === undefined) return found
  throw new RequestError('connection_name_ambiguous', undefined, {
    hint: 'add ?organization=<code>, or use connection_uuid instead of the name',
  })
}

/** Throws RequestError `unknown_plugin`. */
export function connectionDefinition(catalogue: Catalogue, plugin: string): ConnectionDefinition {
  const definition = catalogue.connection(plugin)
  if (definition !== undefined) return definition
  const names = catalogue.plugins.filter(({ connection }) => connection !== undefined).map(({ name }) => name)
  const message = `no plugin '${plugin.slice(0, 64)}' supports connections`
  throw new RequestError('unknown_plugin', message, {
    hint: `use one of: ${names.slice(0, 50).join(', ')}; add others with TOCSIN_PLUGINS`,
    errors: [{ pointer: '/plugin', message }],
  })
}
