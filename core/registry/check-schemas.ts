import { ValidationError, type PointedMessage } from '../errors/errors.ts'
import type { AnySkill, JsonSchema } from '../plugin/index.ts'
import { checkKeywords, compileSchema } from '../schema/index.ts'

/** Whether the schema can be used; says why not. Of what `isTried`, only the keywords are looked at. */
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

/** Every skill shows at least one input with its output, and they fit the schemas. */
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
