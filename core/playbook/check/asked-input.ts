import { asksInputs, type AnySkill, type JsonSchema } from '../../plugin/index.ts'

/** The inputs of the built-in `operator`. */
export const operatorInput: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['message'],
  properties: {
    message: { type: 'string', minLength: 1, description: 'The question.', 'x-message': true },
    labels: {
      type: 'object',
      'x-message': true,
      additionalProperties: { type: 'string', minLength: 1 },
      description: 'Labels of the buttons, by answer. Default: the answers.',
    },
  },
}

/** The inputs that a playbook gives to a skill: without those that the engine gives to a skill that asks. */
export function authorsInput({ input, asks }: AnySkill): JsonSchema {
  const schema = input as JsonSchema
  if (asks !== true) return schema
  const isOurs = (name: string) => (asksInputs as readonly string[]).includes(name)
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !isOurs(name))
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: (schema.required ?? []).filter((name) => !isOurs(name)),
  }
}
