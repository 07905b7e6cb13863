import { ValidationError } from '../../errors/errors.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { compileSchema } from '../../schema/index.ts'

/**
 * Whether the content of the alert is what the playbook declares under `alert`.
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
  const where = first!.pointer === '' ? 'it' : first!.pointer
  throw new ValidationError(
    'alert_not_as_declared',
    `the content of the alert is not what the playbook '${name}' declares: ${where} ${first!.message}`,
    errors,
    { hint: 'correct the schema under `alert`, or what sends the alerts' },
  )
}
