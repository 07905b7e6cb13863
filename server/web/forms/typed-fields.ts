import type { FormField, FormValues } from './form-fields.ts'

/** What was typed into the fields of a form, one in a line; of a secret only that it was. Empty: nothing. */
export function typedFields(
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
