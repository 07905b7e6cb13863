import { ValidationError } from '../errors/errors.ts'
import { TocsinError, type ConnectionDefinition } from '../plugin/index.ts'
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
): CheckedSettings {
  const checked = checkSettings(definition, typed)
  try {
    createTarget(definition, { name, uuid: '' }, { ...checked.settings, ...checked.secrets })
  } catch (error) {
    if (!(error instanceof TocsinError)) throw error
    const errors = [{ pointer: '', message: error.message }]
    throw new ValidationError('value_invalid', error.message, errors, { hint: error.hint })
  }
  return checked
}
