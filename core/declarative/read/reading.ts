import {
  dyn,
  integer,
  isSensitive,
  map,
  object,
  string,
  timestamp,
  type Program,
  type Type,
} from '../../expression/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import type { ExpressionContext } from '../../playbook/scope/context.ts'
import { NameScope } from '../../playbook/scope/scope.ts'
import { compileCondition, compileValue } from '../../playbook/template/expressions.ts'
import { describe } from '../../playbook/template/fields.ts'
import type { TypedTemplate } from '../../playbook/template/typed-template.ts'
import type { Entry, Node } from '../../playbook/yaml/document.ts'
import type { Span } from '../../playbook/language/source-text.ts'
import { headerProblem } from '../../skill/http/headers.ts'
import { runAtOnce } from '../../common/sliced.ts'
import type { Entries } from '../language/declared.ts'

/** State shared by the readers of one plugin. */
export interface PluginReading extends ExpressionContext {
  /** Whether to compile schemas and check examples, which is slow. */
  readonly isThorough: boolean
  /** Names of the secret fields. */
  readonly secrets: Set<string>
  /** Whether answers can be XML. */
  hasXml: boolean
  /** Names of the hosts of the connection. */
  readonly hosts: Set<string>
}

/** The names that expressions of a place may use. */
export type Names = Readonly<Record<string, Type>>

/** The names of a connection; `settings` is the type of its fields. */
export const connectionNames = (settings: Type): Names => ({ settings, now: timestamp })

/** The type of an answer. */
export const responseType = ({ hasXml }: PluginReading, body: Type = dyn): Type =>
  object({ status: integer, headers: map(string), body, text: string, ...(hasXml && { xml: dyn }) })

/** Compiles a value with `${{ … }}` in it. */
export const readTemplate = (reading: PluginReading, names: Names, node: Node): TypedTemplate =>
  runAtOnce(compileValue(reading, new NameScope(names, { isBefore: true }), node))

/** Compiles a condition; undefined if it is invalid, which has been reported. */
export const readCondition = (reading: PluginReading, names: Names, entry: Entry): Program | undefined =>
  compileCondition(reading, new NameScope(names, { isBefore: true }), entry).program

/** Compiles a value that is one expression; undefined if it is not, which has been reported. */
export function readExpression(
  reading: PluginReading,
  names: Names,
  { name, value }: Entry,
): Program | undefined {
  const { template } = readTemplate(reading, names, value)
  if (template.kind === 'expression') return template.program
  if (!reading.problems.hasErrorIn(value)) {
    const hint = 'write one expression: "${{ … }}"'
    reading.problems.add('E106', `expected an expression for \`${name}\`, found a literal value`, value, hint)
  }
  return undefined
}

/** Compiles a text that people see: it must not contain a secret. */
export function readShownText(
  reading: PluginReading,
  names: Names,
  entry: Entry | undefined,
): Template | undefined {
  if (entry === undefined) return undefined
  const typed = readTemplate(reading, names, entry.value)
  if (entry.value.kind !== 'scalar')
    reading.problems.add(
      'E106',
      `expected a string for \`${entry.name}\`, found ${describe(entry.value)}`,
      entry.value,
    )
  refuseSecrets(reading, typed, `\`${entry.name}\``)
  return typed.template
}

/** Compiles the values of a map, such as headers. */
export function readEntries(reading: PluginReading, names: Names, entry: Entry | undefined): Entries {
  if (entry === undefined) return []
  const { name, value } = entry
  if (value.kind === 'map')
    return value.entries.map((each) => [each.name, readTemplate(reading, names, each.value).template])
  const hint = 'write { <name>: <value> }'
  reading.problems.add('E106', `expected a map for \`${name}\`, found ${describe(value)}`, value, hint)
  return []
}

/** Compiles headers that the HTTP client sends. */
export function readHeaders(reading: PluginReading, names: Names, entry: Entry | undefined): Entries {
  const headers = readEntries(reading, names, entry)
  const written = entry?.value.kind === 'map' ? entry.value.entries : []
  for (const [at, [name, template]] of headers.entries()) {
    const isText = template.kind === 'literal' && typeof template.value === 'string'
    checkHeader(reading, name, written[at]!.key, isText ? template.value : '')
  }
  return headers
}

/** Reports a header that the HTTP client refuses to send. */
export function checkHeader({ problems }: PluginReading, name: string, at: Span, value = ''): void {
  const problem = headerProblem(name.toLowerCase(), value)
  if (problem !== undefined) problems.add('E107', problem, at)
}

/** Reports a template that would show a secret of the connection. */
export function refuseSecrets(reading: PluginReading, typed: TypedTemplate, where: string): void {
  for (const { value } of typed.entries ?? []) refuseSecrets(reading, value, where)
  for (const item of typed.items ?? []) refuseSecrets(reading, item, where)
  if (typed.entries !== undefined || typed.items !== undefined) return
  if (!readsSecrets(reading, typed)) return
  const hint = 'secrets may be read in auth, headers, query, json, form, multipart and body'
  reading.problems.add('E803', `a secret of the connection would be shown in ${where}`, typed, hint)
}

/** Whether the value of a scalar template contains a secret of the connection. */
export const readsSecrets = (reading: PluginReading, { template }: TypedTemplate): boolean =>
  scalarPrograms(template).some((program) => shows(reading, program))

/** The expressions of a scalar value. */
export const scalarPrograms = (template: Template): readonly Program[] =>
  template.kind === 'expression'
    ? [template.program]
    : template.kind === 'text'
      ? template.parts.filter((part) => typeof part !== 'string')
      : []

/** Sensitive inputs may be shown: they are redacted where a run is shown. */
const shows = ({ secrets }: PluginReading, { type, references }: Program): boolean =>
  isSensitive(type) &&
  references.some(
    ({ root, path: [field] }) => root === 'settings' && (field === undefined || secrets.has(field)),
  )
