import { duration, timestamp, typeOfSchema, type Type } from '../expression/index.ts'
import { ValidationError } from '../errors/errors.ts'
import type { JsonSchema } from '../plugin/index.ts'
import { compileSchema } from '../schema/index.ts'
import type { Entry, Node } from './document.ts'
import { describe } from './fields.ts'
import { idPattern } from './grammar.ts'
import { durationSchema, timestampSchema } from './inputs.ts'
import { nodeAt, partsOf, plainValue } from './plain-value.ts'
import type { Input, Inputs } from './playbook.ts'
import { quote, type Problems } from './problem.ts'

const validName = new RegExp(idPattern)

/** `inputs`: each is `{ type, default, enum, sensitive, description }`, or any other JSON Schema. */
export function readInputs(problems: Problems, { value }: Entry): Inputs {
  const inputs = new Map<string, Input>()
  if (value.kind !== 'map') {
    problems.add('E106', `\`inputs\` must be a map of inputs, not ${describe(value)}`, value)
    return inputs
  }
  for (const { name, key, value: node } of value.entries) {
    if (!validName.test(name)) {
      const hint = 'lower-case letters, digits and _, beginning with a letter'
      problems.add('E107', `${quote(name)} cannot be the name of an input`, key, hint)
    }
    const input = readInput(problems, node)
    if (input) inputs.set(name, input)
  }
  return inputs
}

/** Types that JSON Schema does not have. */
const ownTypes: Readonly<Record<string, { readonly schema: JsonSchema; readonly type: Type }>> = {
  duration: { schema: durationSchema, type: duration },
  timestamp: { schema: timestampSchema, type: timestamp },
}

function readInput(problems: Problems, node: Node): Input | undefined {
  if (node.kind !== 'map') {
    const hint = 'write { type: string }'
    problems.add('E106', `an input must be a map, not ${describe(node)}`, node, hint)
    return undefined
  }
  const { sensitive, default: preset, type, ...rest } = plainValue(node) as Readonly<Record<string, unknown>>
  if (sensitive !== undefined && typeof sensitive !== 'boolean') {
    const place = nodeAt(node, ['sensitive'])
    problems.add('E106', `\`sensitive\` must be true or false, not ${describe(place)}`, place)
  }
  const own = typeof type === 'string' && Object.hasOwn(ownTypes, type) ? ownTypes[type] : undefined
  const written = { ...(own ? own.schema : type === undefined ? {} : { type }), ...rest } as JsonSchema
  const schema = readSchema(problems, written, node)
  if (schema === undefined) return undefined
  if (preset !== undefined) checkDefault(problems, schema, preset, nodeAt(node, ['default']))
  return {
    schema,
    type: own && schema.enum === undefined ? own.type : typeOfSchema(schema),
    default: preset === undefined ? undefined : { value: preset },
    sensitive: sensitive === true || schema['x-sensitive'] === true,
    description: typeof schema.description === 'string' ? schema.description : undefined,
  }
}

function checkDefault(problems: Problems, schema: JsonSchema, value: unknown, node: Node): void {
  for (const { pointer, message } of compileSchema(schema).problems(value)) {
    problems.add('E308', `the default ${message}`, nodeAt(node, partsOf(pointer)))
  }
}

/** A JSON Schema that stands in a playbook; undefined when it cannot be used, which has been reported. */
function readSchema(problems: Problems, schema: JsonSchema, node: Node): JsonSchema | undefined {
  try {
    compileSchema(schema)
    return schema
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    for (const { pointer, message } of error.errors) {
      problems.add(
        'E311',
        `${pointer === '' ? 'the schema' : pointer} ${message}`,
        nodeAt(node, partsOf(pointer)),
      )
    }
    return undefined
  }
}

/** A schema as it is written. */
export function readWrittenSchema(problems: Problems, { name, value }: Entry): JsonSchema | undefined {
  if (value.kind === 'map') return readSchema(problems, plainValue(value) as JsonSchema, value)
  problems.add('E106', `\`${name}\` must be a JSON Schema, not ${describe(value)}`, value)
  return undefined
}
