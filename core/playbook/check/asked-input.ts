import { asksInputs, type AnySkill, type JsonSchema } from '../../plugin/index.ts'

/** What the built-in way of asking takes. */
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
      description: 'What the buttons say, by answer. Default: the answers.',
    },
  },
}

/** What a playbook gives to a skill: all of its input, but for what the engine gives to a skill that asks. */
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
