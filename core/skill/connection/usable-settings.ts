import { ValidationError } from '../../errors/errors.ts'
import { TocsinError, type ConnectionDefinition, type JsonSchema } from '../../plugin/index.ts'
import { fullSettings, readNetwork, withoutNetwork } from './network.ts'
import { checkSettings, type CheckedSettings } from './settings.ts'
import { createTarget } from './target.ts'

/**
 * Validates the fields of a new or edited connection (see {@link checkSettings}), and that requests can be made
 * with them.
 *
 * @throws ValidationError `value_invalid`; never quotes a secret
 */
export function usableSettings(
  definition: ConnectionDefinition,
  name: string,
  typed: unknown,
  nowMs = Date.now(),
): CheckedSettings {
  const checked = checkSettings(definition, typed)
  requireHideable(checked)
  try {
    const all = { ...checked.settings, ...checked.secrets }
    const network = readNetwork(name, all)
    const settings = withoutNetwork(all)
    const { credentialsAt, sign, token, base } = createTarget(
      definition,
      { name, uuid: '' },
      settings,
      network,
    )
    const { headers } = credentialsAt(nowMs)
    sign?.({ method: 'GET', url: base.href, headers, body: new Uint8Array(), nowMs })
    token?.requestAt(nowMs)
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    const errors = [{ pointer: '', message: error.message }]
    throw new ValidationError('value_invalid', error.message, errors, { hint: error.hint })
  }
  return checked
}

/**
 * Digest of the client and the addresses of sign-ins; undefined if there are none, or they cannot be read.
 *
 * @param all settings and secrets
 */
export function clientOf(
  definition: ConnectionDefinition,
  name: string,
  all: Readonly<Record<string, unknown>>,
): string | undefined {
  try {
    return createTarget(definition, { name, uuid: '' }, withoutNetwork(all), readNetwork(name, all)).signIn
      ?.client
  } catch {
    return undefined
  }
}

/**
 * Shorter texts occur everywhere by chance: redacting them would garble messages and reveal the secret. No known
 * system issues shorter ones.
 */
const shortestSecret = 8

/** The settings schema as it is enforced: the plugin's declaration, plus a minimum length of secrets. */
export function enforcedSettings(definition: ConnectionDefinition): JsonSchema {
  const settings = fullSettings(definition)
  const properties = Object.entries(settings.properties ?? {}).map(([name, field]) => [
    name,
    field['x-secret'] === true
      ? { ...field, minLength: Math.max(field.minLength ?? 0, shortestSecret) }
      : field,
  ])
  return { ...settings, properties: Object.fromEntries(properties) as Record<string, JsonSchema> }
}

function requireHideable({ secrets }: CheckedSettings): void {
  const lengths = Object.entries(secrets).map(([field, secret]) => [field, secret.reveal().length] as const)
  const short = lengths.filter(([, length]) => length > 0 && length < shortestSecret)
  if (short.length === 0) return
  const message = `must have at least ${shortestSecret} characters: a shorter secret cannot be redacted reliably`
  const errors = short.map(([field]) => ({ pointer: `/${field}`, message }))
  throw new ValidationError('value_invalid', `${short.map(([field]) => field).join(', ')} ${message}`, errors)
}
