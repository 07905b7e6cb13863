import {
  dyn,
  explainMismatch,
  nullType,
  typeOfSchema,
  withoutNull,
  type Type,
} from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import { idPattern } from '../../playbook/language/constants.ts'
import { suggestId } from '../../playbook/language/did-you-mean.ts'
import { quote } from '../../playbook/language/problem.ts'
import { describe } from '../../playbook/template/fields.ts'
import {
  jsonType,
  withoutEnumerations,
  withoutOptionals,
  withTextKeys,
} from '../../playbook/template/type-forms.ts'
import type { MapNode, Node } from '../../playbook/yaml/document.ts'
import { entryNamed, plainValue } from '../../playbook/yaml/plain-value.ts'
import type { OutputTemplate } from '../language/declared.ts'
import { schemaOfType, unionOf } from '../language/schema-of-type.ts'
import { keywordNames } from '../../schema/index.ts'
import { fieldKeys, readJsonSchema } from './read-fields.ts'
import { readTemplate, refuseSecrets, type Names, type PluginReading } from './reading.ts'

/** An output with the schema of its values. */
export interface ReadOutput {
  readonly mapping: OutputTemplate
  readonly schema: JsonSchema
}

/** Playbooks read the fields of an output by name. */
const validName = new RegExp(idPattern)

interface ReadValue extends ReadOutput {
  /** The value may be missing. */
  readonly isOptional: boolean
}

/**
 * Reads `output`: name → value, nested map, or field with a type.
 *
 * @param declared the schema of an output whose fields have their types there; only other fields need their own
 */
export function readOutput(
  reading: PluginReading,
  names: Names,
  node: Node,
  declared?: JsonSchema,
): ReadOutput {
  if (node.kind === 'map') return readMap(reading, names, node, declared)
  const hint = 'write { <name>: "${{ … }}" }'
  reading.problems.add('E106', `expected a map for \`output\`, found ${describe(node)}`, node, hint)
  return { mapping: { kind: 'map', entries: [] }, schema: { type: 'object', properties: {} } }
}

function readMap(reading: PluginReading, names: Names, node: MapNode, declared?: JsonSchema): ReadOutput {
  const { properties = {} } = declared ?? {}
  const read = node.entries.map(({ name, key, value }) => {
    if (!validName.test(name))
      reading.problems.add('E107', `invalid name ${quote(name)}`, key, () => suggestId(name))
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, readValue(reading, names, value, known)] as const
  })
  const required = read.filter(([, { isOptional }]) => !isOptional).map(([name]) => name)
  return {
    mapping: { kind: 'map', entries: read.map(([name, { mapping }]) => [name, mapping]) },
    schema: {
      type: 'object',
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(read.map(([name, { schema }]) => [name, schema])),
    },
  }
}

function readValue(reading: PluginReading, names: Names, node: Node, declared?: JsonSchema): ReadValue {
  if (node.kind !== 'map') return readPlain(reading, names, node, declared)
  if (entryNamed(node, 'each') !== undefined) return readEach(reading, names, node, declared)
  if (isTypedField(node)) return readTyped(reading, names, node)
  return { ...readMap(reading, names, node, declared), isOptional: false }
}

/** Whether `value` is the value of the field, not the name of a field inside. */
function isTypedField(node: MapNode): boolean {
  const value = entryNamed(node, 'value')?.value
  const others = node.entries.filter(({ name }) => name !== 'value')
  const isKnown = others.some(({ name }) => keywordNames.includes(name) || fieldKeys.includes(name))
  return value !== undefined && value.kind !== 'map' && (others.length === 0 || isKnown)
}

/** A value whose type is that of its expressions. */
function readPlain(reading: PluginReading, names: Names, node: Node, declared?: JsonSchema): ReadValue {
  const typed = readTemplate(reading, names, node)
  refuseSecrets(reading, typed, 'an output')
  const type = valueType(typed.type)
  const isEmptyList = node.kind === 'list' && node.items.length === 0
  if (declared === undefined && isUnknown(type) && !isEmptyList && !reading.problems.hasErrorIn(node)) {
    const hint = 'declare it: { type: string, value: "${{ … }}" }'
    reading.problems.add('W801', 'the type of this output is unknown', node, hint)
  }
  const isOptional = typed.type.kind === 'optional'
  const mapping = { kind: 'value', value: typed.template, dropsNull: false } as const
  const given = jsonType(withTextKeys(withoutOptionals(typed.type)))
  const fits = declared !== undefined && explainMismatch(given, typeOfSchema(declared)) === undefined
  return { mapping, schema: fits ? declared : schemaOfType(type), isOptional }
}

/** `{ type: …, value: … }`. */
function readTyped(reading: PluginReading, names: Names, node: MapNode): ReadValue {
  const place = entryNamed(node, 'value')!.value
  const typed = readTemplate(reading, names, place)
  refuseSecrets(reading, typed, 'an output')
  const isOptional = readOptional(reading, node) || typed.type.kind === 'optional'
  const written = keywordsOf(node)
  const isTyped = Object.keys(written).some((key) => key !== 'description' && key !== 'title')
  const own = isTyped ? readJsonSchema(reading, written, node) : undefined
  const schema = own ?? { ...schemaOfType(valueType(typed.type)), ...written }
  const wanted = typeOfSchema(schema)
  const dropsNull = isOptional && explainMismatch(nullType, wanted) !== undefined
  const given = jsonType(withTextKeys(withoutOptionals(typed.type)))
  const mismatch = own && explainMismatch(dropsNull ? withoutNull(given) : given, wanted)
  if (mismatch !== undefined)
    reading.problems.add('E805', `the value does not fit the declared type: ${mismatch}`, place)
  return { mapping: { kind: 'value', value: typed.template, dropsNull }, schema, isOptional }
}

/** `{ each: …, item: … }`: a list made of another one. */
function readEach(reading: PluginReading, names: Names, node: MapNode, declared?: JsonSchema): ReadValue {
  const eachNode = entryNamed(node, 'each')!.value
  const typed = readTemplate(reading, names, eachNode)
  const itemEntry = entryNamed(node, 'item')
  if (itemEntry === undefined) {
    const hint = 'write item: { <name>: "${{ item.… }}" }'
    reading.problems.add('E105', '`each` needs `item`', entryNamed(node, 'each')!.key, hint)
  }
  const list = withoutOptionals(typed.type)
  const isList = list.kind === 'list' || list.kind === 'dyn'
  if (!isList || typed.template.kind !== 'expression') {
    if (!reading.problems.hasErrorIn(eachNode))
      reading.problems.add('E805', '`each` needs an expression that gives a list', eachNode)
  }
  const inner = { ...names, item: list.kind === 'list' ? list.element : dyn }
  const item = itemEntry && readValue(reading, inner, itemEntry.value, declared?.items)
  const isOptional = readOptional(reading, node) || typed.type.kind === 'optional'
  const schema = { ...keywordsOf(node), type: 'array', items: item?.schema ?? {} } as const
  const mapping: OutputTemplate =
    typed.template.kind === 'expression' && item !== undefined
      ? { kind: 'each', list: typed.template.program, item: item.mapping }
      : { kind: 'map', entries: [] }
  return { mapping, schema, isOptional }
}

function readOptional({ problems }: PluginReading, node: MapNode): boolean {
  const entry = entryNamed(node, 'optional')
  const value = entry?.value.kind === 'scalar' ? entry.value.value : undefined
  if (entry !== undefined && typeof value !== 'boolean')
    problems.add(
      'E106',
      `expected true or false for \`optional\`, found ${describe(entry.value)}`,
      entry.value,
    )
  return value === true
}

const keywordsOf = (node: MapNode): JsonSchema =>
  Object.fromEntries(
    node.entries.flatMap(({ name, value }) => (fieldKeys.includes(name) ? [] : [[name, plainValue(value)]])),
  )

/** The type of the JSON value of an expression, without the values of literals. */
const valueType = (type: Type): Type => withoutEnumerations(jsonType(withTextKeys(withoutOptionals(type))))

const isUnknown = (type: Type): boolean =>
  type.kind === 'dyn' || (type.kind === 'list' && isUnknown(type.element))

/** Fields that every output of a skill has, such as `found`. */
export type Flags = Readonly<Record<string, boolean>>

/** An output with these fields, unless it has others of their names. */
export function withFlags({ mapping, schema }: ReadOutput, flags: Flags): ReadOutput {
  const entries = mapping.kind === 'map' ? mapping.entries : []
  const added = Object.entries(flags).filter(([flag]) => entries.every(([name]) => name !== flag))
  if (added.length === 0) return { mapping, schema }
  const names = added.map(([flag]) => flag)
  return {
    mapping: {
      kind: 'map',
      entries: [
        ...added.map(([flag, value]): [string, OutputTemplate] => [
          flag,
          { kind: 'value', value: { kind: 'literal', value }, dropsNull: false },
        ]),
        ...entries,
      ],
    },
    schema: {
      ...schema,
      required: [...names, ...(schema.required ?? [])],
      properties: {
        ...Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const])),
        ...schema.properties,
      },
    },
  }
}

/** A schema that accepts the values of both schemas. Fields that only one of them has become optional. */
export function joinSchemas(a: JsonSchema, b: JsonSchema): JsonSchema {
  if (a.type !== 'object' || b.type !== 'object' || a.properties === undefined) {
    return explainMismatch(typeOfSchema(b), typeOfSchema(a)) === undefined ? a : unionOf([a, b])
  }
  const names = [...new Set([...Object.keys(a.properties), ...Object.keys(b.properties ?? {})])]
  const required = (a.required ?? []).filter((name) => b.required?.includes(name))
  const { required: _, ...rest } = a
  return {
    ...rest,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      names.map((name) => {
        const [one, other] = [a.properties?.[name], b.properties?.[name]]
        return [name, one && other ? joinSchemas(one, other) : (one ?? other ?? {})]
      }),
    ),
  }
}
