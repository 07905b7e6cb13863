import {
  interfaces,
  type AnySkill,
  type Implementation,
  type InterfaceDefinition,
  type InterfaceName,
  type JsonSchema,
} from '../plugin/index.ts'

/** An implementation without its types. */
// eslint-disable-next-line typescript/no-explicit-any -- parameters are contravariant: only `any` accepts all
export type AnyImplementation = Pick<Implementation<any, any, any>, 'only' | 'input'> &
  // eslint-disable-next-line typescript/no-explicit-any -- see above
  Partial<Pick<Implementation<any, any, any>, 'output'>>

/** Also for names that may not exist; undefined then. */
export const interfaceNamed = (name: string): InterfaceDefinition | undefined =>
  Object.hasOwn(interfaces, name) ? interfaces[name as InterfaceName] : undefined

/** The implementations of a skill, by interface. */
export const implementationsOf = ({
  implements: all = {},
}: AnySkill): Readonly<Record<string, AnyImplementation>> => all

/** The part of an interface's input that an implementation accepts. */
export function acceptedInput(
  { input }: InterfaceDefinition,
  only: AnyImplementation['only'] = {},
): JsonSchema {
  const properties = Object.entries(input.properties ?? {}).map(([name, schema]) => [
    name,
    Object.hasOwn(only, name) ? { ...schema, enum: only[name] } : schema,
  ])
  return { ...input, properties: Object.fromEntries(properties) as Record<string, JsonSchema> }
}

/** The part of a skill's output that mappings see. */
export function withoutSensitive(schema: JsonSchema): JsonSchema {
  const { properties, items, required } = schema
  const shown = Object.entries(properties ?? {}).filter(([, each]) => each['x-sensitive'] !== true)
  const names = shown.map(([name]) => name)
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(shown.map(([name, each]) => [name, withoutSensitive(each)])),
    }),
    ...(required && { required: required.filter((name) => names.includes(name)) }),
    ...(items && { items: withoutSensitive(items) }),
  }
}
