import { typedJson, typedNumber } from './typed-number.ts'

/** JSON Schema, as far as forms are made of it. */
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
  /** It has a default that fits most. */
  readonly isExtra: boolean
  readonly kind: 'text' | 'secret' | 'choice' | 'yes_no' | 'number' | 'json'
  readonly choices: readonly string[]
  /** What is often entered. */
  readonly examples: readonly string[]
}

/** What stands in the fields: text for all that is typed. */
export type FormValues = Readonly<Record<string, string | boolean>>

/** The fields of a form for an object that fits the schema: those that are needed first, those with a default last. */
export function fieldsOf({ properties = {}, required = [] }: FormSchema): readonly FormField[] {
  const fields = Object.entries(properties).map(([name, schema]): FormField => ({
    name,
    label: schema.title ?? name,
    description: describe(schema),
    placeholder: placeholderOf(schema),
    isRequired: required.includes(name) && schema.default === undefined,
    isExtra: schema.default !== undefined,
    kind: kindOf(schema),
    choices: (schema.enum ?? []).filter((value) => typeof value === 'string'),
    examples: (schema.examples ?? []).filter((value) => typeof value === 'string'),
  }))
  const rank = ({ isRequired, isExtra }: FormField): number => (isRequired ? 0 : isExtra ? 2 : 1)
  return fields.toSorted((a, b) => rank(a) - rank(b))
}

/** The default is said: where nothing is entered, it counts. */
function describe({ description, default: value }: FieldSchema): string | undefined {
  if (value === undefined) return description
  const said = `Default: ${textOf(value)}`
  return description === undefined ? said : `${description} ${said}`
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return yesNo(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** As it is said in a field of that kind. */
export const yesNo = (value: boolean): string => (value ? 'Yes' : 'No')

/** What counts in fields in which nothing is entered. */
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
 * What the form says: fields that are empty are left out, so that defaults apply.
 *
 * @throws SyntaxError where a field that takes JSON holds none
 */
export function valueOf(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const value = values[name]
      if (value === undefined || value === '') return []
      if (typeof value === 'boolean') return [[name, value]]
      if (kind === 'number') return [[name, typedNumber(value)]]
      return [[name, kind === 'json' ? typedJson(value) : value]]
    }),
  )
}

interface Pointed {
  readonly pointer?: string
  readonly message: string
}

/** Of the errors of the API those that belong to a field, by its name: their pointers are `<parent>/<name>`. */
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
