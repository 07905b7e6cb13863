import type { JsonObject, JsonSchema } from '../../plugin/index.ts'
import { UniqueNames, snakeCase } from '../document/names.ts'
import type { ApiOperation } from '../document/operations.ts'
import type { InnerSchema, SchemaReader } from '../schema/flatten-schema.ts'

/** An input of a skill, with the schema of the document that it comes from. */
export interface PlannedInput {
  readonly name: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
  readonly origin: InnerSchema
}

/** State of turning one operation into a skill. */
export class SkillPlan {
  readonly reader: SchemaReader
  readonly operation: ApiOperation
  /** How many properties of schemas to keep, for inputs and output each. */
  readonly size: number
  readonly inputs: PlannedInput[] = []
  /** Remarks for the author, in full sentences. */
  readonly notes: string[] = []
  readonly #names = new UniqueNames()

  constructor(reader: SchemaReader, operation: ApiOperation, size: number) {
    this.reader = reader
    this.operation = operation
    this.size = size
  }

  /** Declares an input; gives the expression that reads it. */
  addInput(
    wanted: string,
    input: Omit<PlannedInput, 'name'>,
  ): { readonly name: string; readonly read: string } {
    const name = this.#names.take(snakeCase(wanted) ?? 'value')
    this.inputs.push({ ...input, name })
    return {
      name,
      read: input.isRequired || input.schema.default !== undefined ? `input.${name}` : `input.?${name}`,
    }
  }
}

/** A template of one expression. */
export const template = (expression: string): string => `\${{ ${expression} }}`

/** A text as it must be written where templates are read. */
export const literal = (value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('${{', () => '$${{') : value

/** All types. In `plugin.yaml`, a missing type means string. */
const anyType = ['string', 'number', 'boolean', 'object', 'array', 'null']

/** An input as `plugin.yaml` writes it. */
export function fieldOf({ schema, isRequired }: PlannedInput): JsonObject {
  const { type = anyType, ...rest } = schema
  const isPlain = type === 'string'
  const isOptional = !isRequired && schema.default === undefined
  return { ...(!isPlain && { type }), ...rest, ...(isOptional && { optional: true }) }
}

/** The schema of all inputs of a skill, as the reader of `plugin.yaml` makes it. */
export const inputSchema = (inputs: readonly PlannedInput[]): JsonSchema => ({
  type: 'object',
  required: inputs.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  additionalProperties: false,
  properties: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
})
