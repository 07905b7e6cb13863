/** The documentation of functions and macros, by section. docs/expressions.md has it as tables, which a test writes. */
import { isNamespaced } from '../../expression/index.ts'
import { encodings } from './encodings.ts'
import { lists } from './lists.ts'
import { macros } from './macros.ts'
import { numbers } from './numbers.ts'
import type { Row } from './row.ts'
import { optionals } from './optionals.ts'
import { patterns } from './patterns.ts'

import { security } from './security.ts'
import { text } from './text.ts'
import { times } from './times.ts'
import { values } from './values.ts'
import { versions } from './versions.ts'

export interface FunctionDoc {
  readonly signature: string
  readonly meaning: string
  readonly example: string
}

const asDoc = ([signature, meaning, example]: Row): FunctionDoc => ({ signature, meaning, example })

/** In the order of the page. */
export const functionSections: Readonly<Record<string, readonly FunctionDoc[]>> = Object.fromEntries(
  Object.entries({
    macros,
    values,
    lists,
    numbers,
    text,
    patterns,
    encodings,
    times,
    security,
    versions,
    optionals,
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
