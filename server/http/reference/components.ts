import { apiAlertSchema } from '../schemas/alert.ts'
import { apiCaseSchema } from '../schemas/case.ts'
import { apiCheckpointSchema } from '../schemas/checkpoint.ts'
import { apiConnectionSchema } from '../schemas/connection.ts'
import { apiContainmentSchema } from '../schemas/containment.ts'
import { apiErrorSchema } from '../schemas/error.ts'
import { apiRunSchema } from '../schemas/run.ts'

/** The schemas of answers by name. `schemas/<name>.schema.json` is a copy for other programs; a test keeps it equal. */
export const answerSchemas: Readonly<Record<string, AnswerSchema>> = {
  alert: apiAlertSchema,
  case: apiCaseSchema,
  run: apiRunSchema,
  connection: apiConnectionSchema,
  checkpoint: apiCheckpointSchema,
  containment: apiContainmentSchema,
  error: apiErrorSchema,
}

interface AnswerSchema {
  readonly $schema: string
  readonly $id: string
  readonly $defs?: Readonly<Record<string, unknown>>
}

/**
 * The component schemas of the OpenAPI document by name. The `$defs` of a schema become `<schema>_<part>`, because a document
 * has one place for all of them.
 */
export function componentSchemas(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(answerSchemas).flatMap(componentsOf))
}

function componentsOf([name, answer]: readonly [string, AnswerSchema]): readonly (readonly [
  string,
  unknown,
])[] {
  const { $schema: _, $id: __, $defs = {}, ...schema } = answer
  const parts = Object.entries($defs).map(
    ([part, inner]) => [`${name}_${part}`, described(inner, name)] as const,
  )
  return [[name, described(schema, name)], ...parts]
}

/**
 * A schema with references rewritten for the API document, and editor keywords as an extension.
 *
 * @param file name of the schema file
 */
export function described(schema: unknown, file = ''): unknown {
  if (Array.isArray(schema)) return schema.map((item) => described(item, file))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => {
      if (name === '$ref' && typeof value === 'string') return [name, reference(value, file)]
      if (name === 'patternErrorMessage') return ['x-pattern-error-message', value]
      return [name, described(value, file)]
    }),
  )
}

/** `run.schema.json`, `#/$defs/step` of run, `run.schema.json#/$defs/step` → `#/components/schemas/…`. */
function reference(text: string, file: string): string {
  const [, other, part] = /^(?:(\w+)\.schema\.json)?(?:#\/\$defs\/(\w+))?$/.exec(text) ?? []
  if (other === undefined && part === undefined) return text
  const name = other ?? file
  return `#/components/schemas/${part === undefined ? name : `${name}_${part}`}`
}
