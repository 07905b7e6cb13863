import { ValidationError } from '../../errors/errors.ts'
import { TocsinError, type ConnectionDefinition, type JsonSchema } from '../../plugin/index.ts'
import { checkSettings, type CheckedSettings } from './settings.ts'
import { createTarget } from './target.ts'

/**
 * Checks the fields of a connection that is made or changed (see {@link checkSettings}), and that requests can be sent with them.
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
    const settings = { ...checked.settings, ...checked.secrets }
    const { headersAt, token } = createTarget(definition, { name, uuid: '' }, settings)
    headersAt(nowMs)
    token?.requestAt(nowMs)
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    const errors = [{ pointer: '', message: error.message }]
    throw new ValidationError('value_invalid', error.message, errors, { hint: error.hint })
  }
  return checked
}

/** No system that Tocsin knows gives out shorter ones, which stand in many a text by chance: hidden there, they would harm it, and give themselves away. */
const shortestSecret = 8

/** The schema of a connection's settings as it is enforced: what a plugin declares, and what is asked of every secret. */
export function enforcedSettings({ settings }: ConnectionDefinition): JsonSchema {
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
  const message = `must have at least ${shortestSecret} characters: a shorter secret cannot be kept out of messages without harming them`
  const errors = short.map(([field]) => ({ pointer: `/${field}`, message }))
  throw new ValidationError('value_invalid', `${short.map(([field]) => field).join(', ')} ${message}`, errors)
}
