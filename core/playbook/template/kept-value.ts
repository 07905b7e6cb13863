import type { Problems } from '../language/problem.ts'
import { withoutOptionals, withTextKeys } from './type-forms.ts'
import type { TypedTemplate } from './typed-template.ts'

/**
 * The value as it is stored. JSON has no optionals, so the step fails for an optional without a value; that
 * is reported as a warning.
 */
export function keptValue(problems: Problems, value: TypedTemplate): TypedTemplate {
  warnOfKept(problems, value)
  return { ...value, type: withTextKeys(withoutOptionals(value.type)) }
}

/**
 * Warns where the value changes in JSON, at any depth: optionals, and maps with keys that are not strings.
 */
export function warnOfKept(problems: Problems, value: TypedTemplate): void {
  for (const { value: part } of value.entries ?? []) warnOfKept(problems, part)
  for (const item of value.items ?? []) warnOfKept(problems, item)
  const { template, type } = value
  if (template.kind !== 'expression') return
  if (withTextKeys(type) !== type) {
    const hint = 'write the keys as text: {"1": …}, or {string(x): …}'
    problems.add('W422', 'the keys of this map become text', value, hint)
  }
  if (withoutOptionals(type) === type) return
  const subject = type.kind === 'optional' ? 'the value' : 'a part of the value'
  problems.add('W413', `${subject} may be missing, and then the step fails`, value, 'add .orValue(…)')
}
