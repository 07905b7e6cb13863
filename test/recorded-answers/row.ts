import { isObject } from '../../core/plugin/index.ts'

/** The use of one recorded answer. */
export type Row =
  /** A skill reads it; all its fields must be in the output, except for those in `aside`. */
  | { readonly drive: (answer: unknown) => Promise<unknown>; readonly aside: readonly string[] }
  /** It is not data, but e.g. a refusal or a click. */
  | { readonly check: (answer: unknown) => unknown }
  /** No skill requests it, for this reason. */
  | { readonly unused: string }

/** By the name of the file, without `.json`. */
export type Rows = Readonly<Record<string, Row>>

/** @param aside Fields about the call itself, which a skill may drop. */
export const keeps = (drive: (answer: unknown) => Promise<unknown>, aside: readonly string[] = []): Row => ({
  drive,
  aside,
})
export const checks = (check: (answer: unknown) => unknown): Row => ({ check })
export const unused = (reason: string): Row => ({ unused: reason })

/**
 * The fields of the answer, as `name: value` in lower case, that the output lacks. Annotations and empty
 * values are ignored.
 */
export function lostFrom(answer: unknown, output: unknown, aside: readonly string[]): readonly string[] {
  const kept = new Set(fieldsOf(output, ''))
  const asideNames = new Set(aside.map((name) => name.toLowerCase()))
  return fieldsOf(answer, '').filter((field) => !kept.has(field) && !asideNames.has(field.split(': ')[0]!))
}

function fieldsOf(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, name))
  if (isObject(value))
    return Object.entries(value)
      .filter(([key]) => !key.startsWith('@odata.'))
      .flatMap(([key, field]) => fieldsOf(field, key.toLowerCase()))
  return value === null || value === undefined || value === ''
    ? []
    : [`${name}: ${JSON.stringify(value).replaceAll('"', '')}`]
}

/** The answer with an unknown field in each record, including nested ones. */
export function withUnknownFields(answer: unknown): unknown {
  let count = 0
  const add = (value: unknown, isRecord: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => add(item, true))
    if (!isObject(value)) return value
    const fields = Object.entries(value).map(([name, field]) => [name, add(field, isRecord)])
    return Object.fromEntries(isRecord ? [...fields, ['brandNew', `kept ${++count}`]] : fields)
  }
  return add(answer, false)
}

/** The error that the work rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => {
      throw new Error('it should have been refused')
    },
    (error: unknown) => error as Record<string, unknown>,
  )
}
