/**
 * The documentation of functions and macros, by section. A test generates the tables in docs/expressions.md
 * from it.
 */
import { isNamespaced } from '../../expression/index.ts'
import { encodingDocs } from './encodings.ts'
import { listDocs } from './lists.ts'
import { macroDocs } from './macros.ts'
import { numberDocs } from './numbers.ts'
import type { Row } from './row.ts'
import { securityDocs, versionDocs } from './security.ts'
import { patternDocs, textDocs } from './text.ts'
import { timeDocs } from './times.ts'
import { optionalDocs, valueDocs } from './values.ts'

export interface FunctionDoc {
  readonly signature: string
  readonly meaning: string
  readonly example: string
}

const asDoc = ([signature, meaning, example]: Row): FunctionDoc => ({ signature, meaning, example })

/** In the order of the page. */
export const functionSections: Readonly<Record<string, readonly FunctionDoc[]>> = Object.fromEntries(
  Object.entries({
    macros: macroDocs,
    values: valueDocs,
    lists: listDocs,
    numbers: numberDocs,
    text: textDocs,
    patterns: patternDocs,
    encodings: encodingDocs,
    times: timeDocs,
    security: securityDocs,
    versions: versionDocs,
    optionals: optionalDocs,
  }).map(([name, rows]) => [name, rows.map(asDoc)]),
)

export const functionDocs: readonly FunctionDoc[] = Object.values(functionSections).flat()

/** The name in a call: `.contains` for a method, `size` for a function, `cel.bind` with a namespace. */
export function calledName({ signature }: FunctionDoc): string {
  const name = signature.slice(0, signature.indexOf('('))
  const [before = '', member] = name.split('.')
  return member === undefined || isNamespaced(before, member) ? name : `.${member}`
}

const byName = Map.groupBy(functionDocs, calledName)

/** Every way to call a function; `isMethod` for `value.name(…)`. */
export function docsOf(name: string, isMethod: boolean): readonly FunctionDoc[] {
  return byName.get(isMethod ? `.${name}` : name) ?? []
}
