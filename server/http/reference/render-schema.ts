import type { JsonSchema } from '../../../core/plugin/index.ts'
import { markup, prose, type Markup } from './markup.ts'

/** A schema with all its parts; named schemas are linked. */
export function renderSchema({ properties, required = [], items, allOf, anyOf, oneOf }: JsonSchema): Markup {
  const parts = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])].filter(isWorthShowing)
  const each =
    items !== undefined && isWorthShowing(items) ? markup`<p>Each:</p>${renderSchema(items)}` : undefined
  return markup`${properties && renderProperties(properties, required)}${each}${parts.map(renderSchema)}`
}

/** Whether the schema has more details than its type. */
const isWorthShowing = ({ $ref, properties, items, allOf, anyOf, oneOf }: JsonSchema): boolean =>
  $ref === undefined && (properties ?? items ?? allOf ?? anyOf ?? oneOf) !== undefined

function renderProperties(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): Markup {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const inner = isWorthShowing(schema) ? renderSchema(schema) : undefined
    return term(
      markup`${schemaType(schema)}`,
      name,
      required.includes(name),
      markup`${notesOf(schema)}${inner}`,
    )
  })
  return markup`<dl>${rows}</dl>`
}

/** A name with its type, whether it is required, and notes. */
export function term(type: Markup, name: string, isRequired: boolean, notes: Markup): Markup {
  const needed = isRequired ? markup` <b>required</b>` : undefined
  return markup`<dt><code>${name}</code> ${type}${needed}</dt>
<dd>${notes}</dd>
`
}

/** `string or null`, `list of`, or a link to a named schema. */
export function schemaType({ $ref, type, items, anyOf, oneOf, allOf, enum: values }: JsonSchema): Markup {
  if ($ref !== undefined) return linkTo($ref)
  const alternatives = anyOf ?? oneOf ?? allOf
  if (alternatives !== undefined) {
    const between = allOf === undefined ? ' or ' : ' and '
    return markup`${alternatives.map((one, at) => markup`${at === 0 ? '' : between}${schemaType(one)}`)}`
  }
  if (type === 'array' && items !== undefined) return markup`<i>list of</i> ${schemaType(items)}`
  const words = type === undefined ? [values === undefined ? 'anything' : 'one of'] : [type].flat()
  return markup`<i>${words.join(' or ')}</i>`
}

function linkTo(reference: string): Markup {
  const name = reference.slice(reference.lastIndexOf('/') + 1)
  return markup`<a href="#schema-${name}">${name}</a>`
}

/** The rest of a schema as text: description, values, bounds. */
export function notesOf(schema: JsonSchema & { readonly 'x-pattern-error-message'?: string }): Markup {
  const { description, enum: values, const: only, default: standard } = schema
  const notes = [
    description,
    values && `One of ${values.map(code).join(', ')}.`,
    only === undefined ? undefined : `Always ${code(only)}.`,
    standard === undefined ? undefined : `Default ${code(standard)}.`,
    bounds(schema),
    schema['x-pattern-error-message'] && `It ${schema['x-pattern-error-message']}.`,
  ].filter((note) => note !== undefined)
  return prose(notes.join(' '))
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const limits = [
  ['minimum', 'at least', ''],
  ['maximum', 'at most', ''],
  ['minLength', 'at least', ' characters'],
  ['maxLength', 'at most', ' characters'],
  ['minItems', 'at least', ' items'],
  ['maxItems', 'at most', ' items'],
] as const

function bounds(schema: JsonSchema): string | undefined {
  const said = limits.flatMap(([keyword, words, what]) => {
    const bound = schema[keyword]
    return bound === undefined ? [] : [`${words} ${bound}${what}`]
  })
  const [first, ...rest] = said
  return first === undefined ? undefined : `${[first.replace(/^a/, 'A'), ...rest].join(', ')}.`
}
