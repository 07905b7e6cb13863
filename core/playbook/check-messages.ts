import { isSensitive, type Type } from '../expression/index.ts'
import type { JsonSchema } from '../plugin/index.ts'
import type { Problems } from './problem.ts'
import type { Span } from './source-text.ts'
import type { TypedTemplate } from './template.ts'

/** Reports sensitive values in what people will read: inputs that their skill marks `x-message`. */
export function checkMessages(problems: Problems, given: TypedTemplate, schema: JsonSchema): void {
  if (schema['x-message'] === true) {
    checkMessage(problems, given.type, given)
    return
  }
  for (const { name, value } of given.entries ?? []) {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
    if (property) checkMessages(problems, value, property)
  }
  for (const item of given.items ?? []) if (schema.items) checkMessages(problems, item, schema.items)
}

/** Reports a message that would show what is sensitive. */
export function checkMessage(problems: Problems, type: Type, at: Span): void {
  if (!isSensitive(type)) return
  const hint = 'leave it out, or say where it can be looked up'
  problems.add('E315', 'a sensitive value would stand in a message to people', at, hint)
}
