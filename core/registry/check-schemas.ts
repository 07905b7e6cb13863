import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { AnySkill, JsonSchema } from '../plugin/index.ts'
import { checkKeywords, compileSchema, nearest } from '../schema/index.ts'

/** Reports why the schema cannot be used. With `isTried`, checks only the keywords. */
export function checkSchema(
  schema: unknown,
  pointer: string,
  isTried: boolean,
  problems: PointedMessage[],
): boolean {
  if (isTried) {
    const wrong = checkKeywords(schema)
    problems.push(...wrong.map((inner) => ({ pointer: pointer + inner.pointer, message: inner.message })))
    return wrong.length === 0
  }
  try {
    compileSchema(schema as JsonSchema)
    return true
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    problems.push(
      ...error.errors.map((inner) => ({ pointer: pointer + inner.pointer, message: inner.message })),
    )
    return false
  }
}

/** Checks that a skill has at least one example and that all examples match the schemas. */
export function checkExamples(skill: AnySkill, pointer: string, problems: PointedMessage[]): void {
  const examples: unknown = skill.examples
  if (!Array.isArray(examples) || examples.length === 0) {
    problems.push({ pointer: `${pointer}/examples`, message: 'must be a list of at least one example' })
    return
  }
  for (const [index, example] of (examples as AnySkill['examples']).entries()) {
    for (const side of ['input', 'output'] as const) {
      const at = `${pointer}/examples/${index}/${side}`
      const wrong = compileSchema(skill[side] as JsonSchema).problems(example[side])
      problems.push(...wrong.map((inner) => ({ pointer: at + inner.pointer, message: inner.message })))
    }
  }
}

export function checkTexts(
  holder: Readonly<Record<string, unknown>>,
  names: readonly string[],
  pointer: string,
  problems: PointedMessage[],
): void {
  for (const name of names) {
    const value = holder[name]
    if (typeof value !== 'string' || value.trim() === '') {
      const misspelt = value === undefined ? nearest(name, Object.keys(holder)) : undefined
      const meant = misspelt === undefined ? '' : `; did you mean '${name}' instead of '${misspelt}'?`
      problems.push({ pointer: `${pointer}/${name}`, message: `must be a non-empty string${meant}` })
    }
  }
}

export function checkDocs(docs: unknown, pointer: string, problems: PointedMessage[]): void {
  if (
    docs !== undefined &&
    !(typeof docs === 'string' && docs.startsWith('https://') && URL.canParse(docs))
  ) {
    problems.push({ pointer: `${pointer}/docs`, message: 'must be an https address' })
  }
}

export function hasSecret(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  return Object.entries(schema).some(([key, value]) =>
    key === 'x-secret' ? value === true : hasSecret(value),
  )
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
