import { ValidationError, type PointedMessage } from '../../errors/errors.ts'
import type { ConnectionDefinition } from '../../plugin/index.ts'
import { fullSettings } from './network.ts'
import { isSecretField } from './settings.ts'

/** Where the value of a secret is kept: a variable of the server, a file, or a key in HashiCorp Vault or OpenBao. */
export type SecretReference =
  | { readonly source: 'env'; readonly text: string; readonly name: string }
  | { readonly source: 'file'; readonly text: string; readonly path: readonly string[] }
  | {
      readonly source: 'vault'
      readonly text: string
      readonly path: readonly string[]
      readonly key: string
    }

const maxLength = 500
const maxSegments = 10
const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** No segment that is empty, consists of dots or ends with a dot: Vault does not find those. */
const segment = /^[A-Za-z0-9._-]{0,99}[A-Za-z0-9_-]$/
const vaultKey = /^[^\s#]{1,100}$/

export const referenceForms = 'env:NAME, file:path/to/file, or vault:path/to/secret#key'

/** Undefined if the text has none of the {@link referenceForms}. */
export function parseReference(text: string): SecretReference | undefined {
  const at = text.indexOf(':')
  const [source, rest] = [text.slice(0, at), text.slice(at + 1)]
  if (text.length > maxLength) return undefined
  if (source === 'env') return variableName.test(rest) ? { source, text, name: rest } : undefined
  const [below, key, ...more] = source === 'vault' ? rest.split('#') : [rest]
  const path = (below ?? '').split('/')
  if (more.length > 0 || path.length > maxSegments || !path.every((part) => segment.test(part)))
    return undefined
  if (source === 'file') return { source, text, path }
  return source === 'vault' && vaultKey.test(key ?? '') ? { source, text, path, key: key! } : undefined
}

/** Fields of a connection as entered: secrets can be `{"reference": "…"}` instead of a text. */
export interface EnteredFields {
  /** Without references. */
  readonly values: Readonly<Record<string, unknown>>
  /** By field. */
  readonly references: Readonly<Record<string, SecretReference>>
}

/**
 * Separates references from values. An object in a field that is not secret stays a value.
 *
 * @throws ValidationError `value_invalid`
 */
export function separateReferences(
  definition: Pick<ConnectionDefinition, 'settings'>,
  entered: Readonly<Record<string, unknown>>,
): EnteredFields {
  const values: [string, unknown][] = []
  const references: [string, SecretReference][] = []
  const errors: PointedMessage[] = []
  for (const [field, value] of Object.entries(entered)) {
    const text = isSecretField(fullSettings(definition), field) ? referenceIn(value) : undefined
    const reference = text === undefined ? undefined : parseReference(text)
    if (reference !== undefined) references.push([field, reference])
    else if (text === undefined) values.push([field, value])
    else errors.push({ pointer: `/${field}`, message: `is not a reference: use ${referenceForms}` })
  }
  if (errors.length > 0) {
    const message = errors.map((error) => `${error.pointer} ${error.message}`).join('; ')
    throw new ValidationError('value_invalid', message, errors)
  }
  return { values: Object.fromEntries(values), references: Object.fromEntries(references) }
}

function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'reference')) return undefined
  const { reference } = value as { readonly reference: unknown }
  return Object.keys(value).length === 1 && typeof reference === 'string' ? reference : undefined
}
