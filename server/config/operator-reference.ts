import { isAbsolute } from 'node:path'
import { parseReference, type SecretReference } from '../../core/skill/connection/secret-reference.ts'

/** A secret of the operator that is kept elsewhere. Its path is not within the area of an organization. */
export type OperatorReference =
  | { readonly source: 'file'; readonly text: string; readonly path: string }
  | Extract<SecretReference, { readonly source: 'vault' }>

/** `file:/absolute/path`, or `vault:path/in/engine#key`; undefined for anything else. */
export function parseOperatorReference(text: string): OperatorReference | undefined {
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length)
    return isAbsolute(path) && !path.includes('\0') ? { source: 'file', text, path } : undefined
  }
  const reference = parseReference(text)
  return reference?.source === 'vault' ? reference : undefined
}

export const isOperatorReference = (text: string): boolean => parseOperatorReference(text) !== undefined
