/** JSON Schema, reduced to what forms need. */
export interface FieldSchema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly maxLength?: number
  readonly 'x-secret'?: boolean
}

export interface FormSchema {
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, FieldSchema>>
}

export interface FormField {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  readonly placeholder: string | undefined
  readonly isRequired: boolean
  /** Folded: it has a default, or is about the network. */
  readonly isExtra: boolean
  readonly kind: 'text' | 'secret' | 'choice' | 'yes_no' | 'number' | 'json'
  readonly choices: readonly string[]
  /** Suggestions. */
  readonly examples: readonly string[]
}

/** Begins the typed value of a secret field that holds a reference instead of the secret. */
export const referenceMark = '\0'

/** Typed values are text. */
export type FormValues = Readonly<Record<string, string | boolean>>

/** The fields of a form: required ones first, those with a default last. */
export function fieldsOf({ properties = {}, required = [] }: FormSchema): readonly FormField[] {
  const fields = Object.entries(properties).map(([name, schema]): FormField => ({
    name,
    label: schema.title ?? name,
    description: describe(schema),
    placeholder: placeholderOf(schema),
    isRequired: required.includes(name) && schema.default === undefined,
    isExtra: schema.default !== undefined || name.startsWith('network_'),
    kind: kindOf(schema),
    choices: (schema.enum ?? []).filter((value) => typeof value === 'string'),
    examples: (schema.examples ?? []).filter((value) => typeof value === 'string'),
  }))
  const rank = ({ isRequired, isExtra }: FormField): number => (isRequired ? 0 : isExtra ? 2 : 1)
  return fields.toSorted((a, b) => rank(a) - rank(b))
}

/** The description with the default. */
function describe({ description, default: value }: FieldSchema): string | undefined {
  if (value === undefined) return description
  const said = `Default: ${textOf(value)}`
  return description === undefined ? said : `${description} ${said}`
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return yesNo(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const yesNo = (value: boolean): string => (value ? 'Yes' : 'No')

/** The defaults of blank fields. */
export function defaultsOf({ properties = {} }: FormSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, { default: value }]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}

function kindOf({ type, enum: values, 'x-secret': isSecret }: FieldSchema): FormField['kind'] {
  if (isSecret === true) return 'secret'
  if (values?.every((value) => typeof value === 'string') === true) return 'choice'
  if (type === 'boolean') return 'yes_no'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'string' || (Array.isArray(type) && type.includes('string')) ? 'text' : 'json'
}

function placeholderOf({ default: value, examples }: FieldSchema): string | undefined {
  const shown = value ?? examples?.[0]
  return shown === undefined ? undefined : textOf(shown)
}

/**
 * The object of a form. Blank fields are omitted, so that defaults apply.
 *
 * @throws SyntaxError for invalid JSON in a field
 */
export function formObject(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const value = values[name]
      if (value === undefined || value === '') return []
      if (typeof value === 'boolean') return [[name, value]]
      if (kind === 'secret' && value.startsWith(referenceMark)) {
        const reference = value.slice(referenceMark.length).trim()
        return reference === '' ? [] : [[name, { reference }]]
      }
      if (kind === 'number') return [[name, typedNumber(value)]]
      return [[name, kind === 'json' ? typedJson(value) : value]]
    }),
  )
}

/** The values of a form for an object; undefined if the form would send another object. */
export function formValues(fields: readonly FormField[], object: object): FormValues | undefined {
  const given = new Map(Object.entries(object))
  const values: Record<string, string | boolean> = {}
  for (const field of fields) {
    const value: unknown = given.get(field.name)
    if (!given.delete(field.name)) continue
    const isTyped = typeof value === 'boolean' || (typeof value === 'string' && field.kind !== 'json')
    const typed = isTyped ? value : JSON.stringify(value)
    const sent = formObject([field], { [field.name]: typed })[field.name]
    if (JSON.stringify(sent) !== JSON.stringify(value)) return undefined
    values[field.name] = typed
  }
  return given.size === 0 ? values : undefined
}

interface Pointed {
  readonly pointer?: string
  readonly message: string
}

/** The errors by field name. Their pointers are `<parent>/<name>`. */
export function fieldErrors(
  errors: readonly Pointed[] | undefined,
  parent: string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { pointer, message } of errors ?? []) {
    const name =
      pointer?.startsWith(`${parent}/`) === true ? pointer.slice(parent.length + 1).split('/')[0] : undefined
    if (name === undefined) continue
    const before = found.get(name)
    found.set(name, before === undefined ? message : `${before}; ${message}`)
  }
  return found
}

/** The changed fields, one per line, without the values of secrets. Empty if nothing changed. */
export function changedFieldsText(
  fields: readonly FormField[],
  values: FormValues,
  before: FormValues = {},
): string {
  return fields
    .filter(({ name }) => (values[name] ?? '') !== (before[name] ?? ''))
    .map(
      ({ name, label, kind }) =>
        `${label}: ${kind === 'secret' ? '(not shown)' : String(values[name] ?? '')}`,
    )
    .join('\n')
}

// Not in TypeScript's library yet, and not in every browser.
interface JsonWithSource {
  rawJSON?(text: string): unknown
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown
}
const sourceJson = JSON as unknown as JsonWithSource
const integerLiteral = /^-?\d+$/

/**
 * A typed number for a JSON body. An integer beyond 2^53 keeps its digits. If it cannot be sent as a number,
 * it stays text, which the API refuses.
 */
function typedNumber(text: string): unknown {
  const number = Number(text)
  if (!integerLiteral.test(text)) return Number.isFinite(number) ? number : text
  return Number.isSafeInteger(number) ? number : (sourceJson.rawJSON?.(String(BigInt(text))) ?? text)
}

/**
 * Typed JSON with exact integers.
 *
 * @throws SyntaxError for invalid JSON
 */
export const typedJson = (text: string): unknown =>
  sourceJson.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && integerLiteral.test(context.source)
      ? typedNumber(context.source)
      : value,
  )

/** The parts of a JSON Schema that describe the form of a value. */
export interface Shape {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Shape>>
}

/** Placeholder for a value. It is not valid JSON, so it cannot be sent by accident. */
const blank = '…'

/** JSON with all required fields. Only fields with a single possible value are filled in. */
export const skeletonText = (shape: Shape): string =>
  shape.required === undefined
    ? '{}'
    : JSON.stringify(skeletonOf(shape), undefined, 2).replaceAll(`"${blank}"`, blank)

function skeletonOf({ const: only, type, required, properties }: Shape): unknown {
  if (only !== undefined) return only
  if (type === 'null') return null
  const isObject = type === 'object' || (Array.isArray(type) && type[0] === 'object')
  if (!isObject || required === undefined) return blank
  return Object.fromEntries(required.map((name) => [name, skeletonOf(properties?.[name] ?? {})]))
}
