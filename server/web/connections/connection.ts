import type { FormSchema, FormValues } from '../forms/form-fields.ts'

/** A connection, without its secrets (`schemas/connection.schema.json`). */
export interface Connection {
  readonly connection_uuid: string
  readonly organization_code: string
  readonly name: string
  readonly plugin: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly enabled: boolean
  readonly credential_age_days: number | null
  readonly broken: Remark | null
  readonly warnings: readonly Remark[]
}

interface Remark {
  readonly reason: string
  readonly at: number
}

/** A plugin, as far as connections need it. */
export interface Plugin {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly connection: {
    readonly title: string
    readonly description: string | null
    readonly docs: string | null
    /** What an operator does, step by step. */
    readonly setup: readonly string[]
    readonly settings: FormSchema
    readonly has_manifest: boolean
  } | null
}

/** What stands in the form of a connection that is there: its settings; its secrets are not known, and stay empty. */
export function valuesOf(settings: Connection['settings']): FormValues {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'string' || typeof value === 'boolean' ? value : JSON.stringify(value),
    ]),
  )
}

/** What stands in the form once the settings are others: what nobody touched follows them, what somebody typed stays. */
export function takeOver(typed: FormValues, before: FormValues, now: FormValues): FormValues {
  const names = new Set([...Object.keys(typed), ...Object.keys(now)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = typed[name] === before[name] ? now[name] : typed[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Fields that somebody typed in and that were changed to something else by another. */
export const overtakenFields = (typed: FormValues, before: FormValues, now: FormValues): readonly string[] =>
  Object.keys({ ...before, ...now, ...typed }).filter(
    (name) => typed[name] !== before[name] && now[name] !== before[name] && typed[name] !== now[name],
  )

/** Of what the form says, what is not so already. What was emptied is taken away (`null`). */
export function changedSettings(
  before: Connection['settings'],
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)])
}

/** Most other systems advise to rotate credentials after so long. */
export const oldAfterDays = 90

/** `new today`, `12 days old`. */
export function ageText(days: number): string {
  return days === 0 ? 'new today' : `${days} ${days === 1 ? 'day' : 'days'} old`
}
