import { isDeepStrictEqual } from 'node:util'
import { maskAt, sensitiveParts } from '../domain/mask.ts'
import { maskOfSchema } from '../playbook/check/mask-of-type.ts'
import type { AnySkill, JsonSchema } from '../plugin/index.ts'
import type { ContainingCall } from './checks/state-checks.ts'

/**
 * The fields of a call that would show sensitive values of another call of the plugin: the called skill does not mark them with
 * `x-sensitive`.
 */
export function exposedFields(
  from: AnySkill,
  { input, output }: ContainingCall,
  to: AnySkill,
  given: Readonly<Record<string, unknown>>,
): readonly string[] {
  const parts = [
    ...sensitiveParts(maskOfSchema(from.input as JsonSchema), input),
    ...sensitiveParts(maskOfSchema(from.output as JsonSchema), output),
  ]
  const accepts = maskOfSchema(to.input as JsonSchema)
  return Object.keys(given).filter(
    (field) => maskAt(accepts, field) !== true && parts.some((part) => isWithin(part, given[field])),
  )
}

/** Whether a value is, or has within it, another one, or a text that contains it. */
function isWithin(part: unknown, value: unknown): boolean {
  if (isDeepStrictEqual(part, value)) return true
  if (typeof value === 'string') return typeof part === 'string' && part !== '' && value.includes(part)
  return (
    typeof value === 'object' && value !== null && Object.values(value).some((one) => isWithin(part, one))
  )
}
