import { ValidationError } from '../../errors/errors.ts'
import { ConnectionError, Secret, type ConnectionDefinition, type JsonSchema } from '../../plugin/index.ts'
import type { NetworkSettings } from '../../ports/egress.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import { fullSettings, readNetwork, withoutNetwork } from './network.ts'
import { compileSchema, validate, withDefaults } from '../../schema/index.ts'

/** Validated input of an operator, separated into settings and secrets, which are stored encrypted. */
export interface CheckedSettings {
  readonly settings: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, Secret>>
}

/**
 * Validates the fields of a connection, fills in defaults, and separates the secrets.
 *
 * @param typed all fields as plain JSON, including secrets
 * @throws ValidationError `value_invalid`; never quotes a value
 */
export function checkSettings(definition: ConnectionDefinition, typed: unknown): CheckedSettings {
  const schema = fullSettings(definition)
  const full = withDefaults(schema, typed)
  validate(compileSchema(schema), full, 'settings')
  const settings: [string, unknown][] = []
  const secrets: [string, Secret][] = []
  for (const [name, value] of Object.entries(full as object)) {
    if (isSecretField(schema, name)) secrets.push([name, new Secret(value as string)])
    else settings.push([name, value])
  }
  return { settings: Object.fromEntries(settings), secrets: Object.fromEntries(secrets) }
}

/** Settings of a connection that is about to be used. */
interface OpenSettings {
  /** As the plugin sees them. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly network: NetworkSettings | undefined
  readonly secrets: readonly string[]
}

/**
 * The settings as a skill sees them. Validated again, because a newer version of the plugin may require more.
 *
 * @throws ConnectionError `connection_invalid`
 */
export function openSettings(
  definition: ConnectionDefinition,
  { connection, secrets }: OpenConnection,
): OpenSettings {
  const revealed = Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()] as const)
  try {
    const checked = checkSettings(definition, { ...connection.settings, ...Object.fromEntries(revealed) })
    const all = { ...checked.settings, ...checked.secrets }
    return {
      settings: withoutNetwork(all),
      network: readNetwork(connection.name, all),
      secrets: revealed.map(([, text]) => text),
    }
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new ConnectionError('connection_invalid', `connection '${connection.name}': ${error.message}`, {
      hint: 'the plugin has changed: create the connection again',
      details: { errors: error.errors },
    })
  }
}

export function isSecretField(schema: JsonSchema, name: string): boolean {
  const properties = schema.properties ?? {}
  return Object.hasOwn(properties, name) && properties[name]?.['x-secret'] === true
}
