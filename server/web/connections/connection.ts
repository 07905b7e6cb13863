import type { ApiConnection } from '../api/types.ts'
import { referenceMark, type FormValues } from '../forms/form-fields.ts'

/** The settings, and the references of secrets as they are entered. */
export const savedFields = ({
  settings,
  secret_references: references,
}: Pick<ApiConnection, 'settings' | 'secret_references'>): ApiConnection['settings'] => ({
  ...settings,
  ...Object.fromEntries(Object.entries(references).map(([name, reference]) => [name, { reference }])),
})

/** The form values of saved fields. Stored secrets are blank. */
export function valuesOf(settings: ApiConnection['settings']): FormValues {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      referenceIn(value) ??
        (typeof value === 'string' || typeof value === 'boolean' ? value : JSON.stringify(value)),
    ]),
  )
}

function referenceIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('reference' in value)) return undefined
  return typeof value.reference === 'string' ? referenceMark + value.reference : undefined
}

/** The form values after the settings changed: edited fields stay, the others follow. */
export function mergeValues(typed: FormValues, before: FormValues, now: FormValues): FormValues {
  const names = new Set([...Object.keys(typed), ...Object.keys(now)])
  return Object.fromEntries(
    [...names].flatMap((name) => {
      const value = typed[name] === before[name] ? now[name] : typed[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Edited fields that someone else changed to another value. */
export const conflictingFields = (
  typed: FormValues,
  before: FormValues,
  now: FormValues,
): readonly string[] =>
  Object.keys({ ...before, ...now, ...typed }).filter(
    (name) => typed[name] !== before[name] && now[name] !== before[name] && typed[name] !== now[name],
  )

/** The settings that differ. Removed ones are null. */
export function changedSettings(
  before: ApiConnection['settings'],
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  )
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  return Object.fromEntries([...changed, ...gone.map((name) => [name, null] as const)])
}

/** Parameters of a redirect that the API knows; vendors add others. */
const answerParameters = ['state', 'code', 'iss', 'error', 'error_description'] as const

/** The answer of a vendor to a sign-in, in the query of the address. */
export function answerIn(search: string): Readonly<Record<string, string>> {
  const given = new URLSearchParams(search)
  const known = answerParameters.flatMap((name) => {
    const value = given.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  return { state: '', ...Object.fromEntries(known) }
}

/** Most vendors advise to rotate credentials after this time. */
export const oldAfterDays = 90

/** `changed today`, `12 days old`. */
export function ageText(days: number): string {
  return days === 0 ? 'changed today' : `${days} ${days === 1 ? 'day' : 'days'} old`
}
