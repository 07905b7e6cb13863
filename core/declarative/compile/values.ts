import { ExpressionError, toJsonOrNothing, type Program } from '../../expression/index.ts'
import { isObject, Secret, SkillError, type HttpResponse, type QueryValue } from '../../plugin/index.ts'
import type { Template } from '../../playbook/language/playbook.ts'
import { evaluateTemplate } from '../../playbook/template/template.ts'
import type { DeclaredXml, Entries, OutputTemplate } from '../language/declared.ts'
import { xmlOf } from './xml.ts'

/** The values of names in expressions, as JSON. */
export type Values = Readonly<Record<string, unknown>>

/** The settings as expressions read them. */
const plainSettings = (settings: unknown): Values =>
  Object.fromEntries(
    Object.entries(isObject(settings) ? settings : {}).map(([name, value]) => [
      name,
      value instanceof Secret ? value.reveal() : value,
    ]),
  )

/** The names of a connection. */
export const connectionValues = (settings: unknown, nowMs: number): Values => ({
  settings: plainSettings(settings),
  now: new Date(nowMs).toISOString(),
})

/** An answer as expressions read it. A body that is not JSON is missing, and so is XML that cannot be read. */
export function responseValue(
  { status, headers, text }: Pick<HttpResponse, 'status' | 'headers' | 'text'>,
  body: unknown,
  xml: DeclaredXml | undefined,
): Values {
  const read = xml && body === undefined ? xmlOf(text, xml) : {}
  return {
    status,
    headers,
    text,
    ...(body === undefined ? {} : { body }),
    ...('value' in read && { xml: read.value }),
  }
}

/** An answer with its body. */
export const answerValue = (response: HttpResponse, xml: DeclaredXml | undefined): Values =>
  responseValue(response, bodyOf(response), xml)

/** The body as JSON; null if it is empty, undefined if it is not JSON. */
function bodyOf(response: HttpResponse): unknown {
  if (response.text.trim() === '') return null
  try {
    return response.json()
  } catch (error) {
    if (error instanceof SkillError) return undefined
    throw error
  }
}

/**
 * The value of a template; undefined where an optional has no value, which also leaves out entries and items.
 */
export function valueOf(template: Template, values: Values): unknown {
  switch (template.kind) {
    case 'expression':
      return programResult(template.program, values)
    case 'list':
      return template.items.map((item) => valueOf(item, values)).filter((item) => item !== undefined)
    case 'map':
      return definedEntries(template.entries.map(([name, value]) => [name, valueOf(value, values)]))
    default:
      return evaluateTemplate(template, values)
  }
}

/** The result of a program as JSON; undefined for an optional without a value. */
export const programResult = (program: Program, values: Values): unknown =>
  toJsonOrNothing(program.evaluate(values), program.source)

// fromEntries defines own fields, including `__proto__`.
const definedEntries = (entries: readonly (readonly [string, unknown])[]): Values =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined))

/** The value of an output; undefined if it is left out. */
export function outputOf(template: OutputTemplate, values: Values): unknown {
  switch (template.kind) {
    case 'value': {
      const value = valueOf(template.value, values)
      return value === null && template.dropsNull ? undefined : value
    }
    case 'map':
      return definedEntries(template.entries.map(([name, inner]) => [name, outputOf(inner, values)]))
    case 'each': {
      const list = programResult(template.list, values)
      if (list === undefined || list === null) return undefined
      if (!Array.isArray(list)) throw notAList(template.list.source)
      return list.map((item: unknown) => outputOf(template.item, { ...values, item }))
    }
  }
}

export const notAList = (source: string): SkillError =>
  new SkillError('bad_response', `${source} is not a list in the answer`, { hint: hintForAnswer })

/** A text; undefined if it is null, empty or missing. */
export function textValue(template: Template | undefined, values: Values): string | undefined {
  const value = scalarOf('a text', template && valueOf(template, values))
  return value === undefined || value === '' ? undefined : String(value)
}

/** Names with texts, without those that are null or missing. */
export function textValues(entries: Entries, values: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(
    entries.flatMap(([name, template]) => {
      const value = scalarOf(name, valueOf(template, values))
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}

/** The parameters of a query. */
export function queryValues(entries: Entries, values: Values): Readonly<Record<string, QueryValue>> {
  return Object.fromEntries(
    entries.flatMap(([name, template]): readonly (readonly [string, QueryValue])[] => {
      const value = valueOf(template, values)
      if (!Array.isArray(value)) {
        const one = scalarOf(name, value)
        return one === undefined ? [] : [[name, one]]
      }
      return [[name, value.flatMap((item) => scalarOf(name, item) ?? [])]]
    }),
  )
}

type Scalar = string | number | boolean

/** Undefined for null and a missing value. */
function scalarOf(name: string, value: unknown): Scalar | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw new SkillError('bad_request', `the value of ${name} is not a string, number or boolean`, {
    hint: 'report it to the author of the plugin',
  })
}

const hintForAnswer = 'the other system may have changed: report it to the author of the plugin'

/**
 * Evaluates an expression that reads an answer. Throws SkillError `bad_response` if the answer lacks a
 * field that an expression needs.
 */
export function reading<T>(
  response: HttpResponse | undefined,
  xml: DeclaredXml | undefined,
  read: () => T,
): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    if (response !== undefined && bodyOf(response) === undefined) explainUnreadable(response, xml)
    throw new SkillError('bad_response', `the answer cannot be read: ${error.message}`, {
      hint: hintForAnswer,
      cause: error,
    })
  }
}

/** Throws for an answer that is neither JSON nor XML, such as the page of a proxy. */
function explainUnreadable(response: HttpResponse, xml: DeclaredXml | undefined): void {
  const read = xml && xmlOf(response.text, xml)
  if (read === undefined) response.json()
  else if ('problem' in read)
    throw new SkillError('bad_response', `the answer cannot be read as XML: ${read.problem}`, {
      hint: 'check the address: a proxy or a sign-in page may have answered instead',
    })
}
