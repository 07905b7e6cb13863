import { ValidationError } from '../../../../core/errors/errors.ts'
import { TocsinError, type ConnectionDefinition, type Secret } from '../../../../core/plugin/index.ts'
import type { SecretReference } from '../../../../core/skill/connection/secret-reference.ts'
import { usableSettings } from '../../../../core/skill/connection/usable-settings.ts'
import type { Services } from '../../routing/route.ts'
import { requireFixedAddress } from './connection-addresses.ts'

type Secrets = Readonly<Record<string, Secret>>
type References = Readonly<Record<string, SecretReference>>

const timeoutMs = 15_000

/**
 * The values of entered references: a reference that cannot be read is refused, like a wrong value.
 *
 * @throws ValidationError `value_invalid`
 */
export async function readReferences(
  organizationUuid: string,
  references: References,
  services: Pick<Services, 'secrets' | 'closing'>,
): Promise<Secrets> {
  const signal = AbortSignal.any([services.closing, AbortSignal.timeout(timeoutMs)])
  const read = async ([field, reference]: readonly [string, SecretReference]) => {
    try {
      return await services.secrets.values(organizationUuid, { [field]: reference }, { signal })
    } catch (error) {
      if (!(error instanceof TocsinError)) throw error
      const errors = [{ pointer: `/${field}`, message: error.message }]
      throw new ValidationError('value_invalid', error.message, errors, { hint: error.hint })
    }
  }
  return Object.assign({}, ...(await Promise.all(Object.entries(references).map(read)))) as Secrets
}

/** Without those that cannot be read. */
export async function readReferencesIfPossible(
  organizationUuid: string,
  references: References,
  services: Pick<Services, 'secrets' | 'closing'>,
): Promise<Secrets> {
  const read = ([field, reference]: readonly [string, SecretReference]) =>
    readReferences(organizationUuid, { [field]: reference }, services).catch(() => ({}))
  return Object.assign({}, ...(await Promise.all(Object.entries(references).map(read)))) as Secrets
}

/** Checked fields: those to store, and all secrets. */
interface CheckedFields {
  readonly settings: Readonly<Record<string, unknown>>
  /** Those that are stored. */
  readonly secrets: Secrets
  /** With the values of references. */
  readonly all: Secrets
}

/**
 * Checks the fields of a connection with the values of its references.
 *
 * @param typed fields that are no references
 * @throws ValidationError `value_invalid`
 */
export function checkEntered(
  definition: ConnectionDefinition,
  name: string,
  typed: Readonly<Record<string, unknown>>,
  references: Readonly<Record<string, unknown>>,
  read: Secrets,
): CheckedFields {
  const texts = Object.entries(read).map(([field, secret]) => [field, secret.reveal()])
  const { settings, secrets: all } = usableSettings(definition, name, {
    ...typed,
    ...(Object.fromEntries(texts) as object),
  })
  const stored = Object.entries(all).filter(([field]) => !Object.hasOwn(references, field))
  requireFixedAddress(definition, { settings, secrets: all }, Object.keys(references))
  return { settings, secrets: Object.fromEntries(stored), all }
}
