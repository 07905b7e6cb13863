import { membersOf, type Program, type Type } from '../../expression/index.ts'
import type { JsonSchema } from '../../plugin/index.ts'
import type { Problems } from '../language/problem.ts'
import type { TypedTemplate } from '../template/typed-template.ts'
const message = 'a value stands in the text of a path as it is, and could choose another resource'
const hint = "give the path as a list, [devices, '${{ … }}'], or the value as ${{ x.urlEncode() }}"

/** Whose text cannot lead anywhere. */
const plain: readonly Type['kind'][] = ['int', 'double', 'number', 'bool']

/** Warns of values in the text of inputs that their skill marks `x-path`. */
export function checkPaths(problems: Problems, given: TypedTemplate, schema: JsonSchema): void {
  for (const { name, value } of given.entries ?? []) {
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
    if (property?.['x-path'] === true && holdsRawValue(value)) problems.add('W414', message, value, hint)
  }
}

function holdsRawValue({ template }: TypedTemplate): boolean {
  if (template.kind === 'expression') return !isSafe(template.program, ['list', ...plain])
  return (
    template.kind === 'text' &&
    template.parts.some((part) => typeof part !== 'string' && !isSafe(part, plain))
  )
}

/** Of several types that the value may have, each must be one of these, or texts that a schema lists. */
function isSafe({ type, urlEncoded }: Program, kinds: readonly Type['kind'][]): boolean {
  return (
    urlEncoded ||
    membersOf(type).every(
      (one) => kinds.includes(one.kind) || (one.kind === 'string' && one.values !== undefined),
    )
  )
}
