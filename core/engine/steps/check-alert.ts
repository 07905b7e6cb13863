import { ValidationError } from '../../errors/errors.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { compileSchema } from '../../schema/index.ts'

/**
 * Validates the alert content against the `alert` schema of the playbook.
 *
 * @throws ValidationError `alert_not_as_declared`
 */
export function checkAlert(
  { alertSchema, name }: Pick<Playbook, 'alertSchema' | 'name'>,
  alert: unknown,
): void {
  if (alertSchema === undefined || alert === undefined) return
  const errors = compileSchema(alertSchema).problems((alert as { readonly data?: unknown }).data)
  if (errors.length === 0) return
  const [first] = errors
  const where = first!.pointer === '' ? 'the content' : first!.pointer
  throw new ValidationError(
    'alert_not_as_declared',
    `the alert content does not match the schema of the playbook '${name}': ${where} ${first!.message}`,
    errors,
    { hint: 'correct the schema under `alert` or the alert source' },
  )
}
