import type { Problems } from './problem.ts'
import type { TypedTemplate } from './template.ts'
import { withoutOptionals } from './type-forms.ts'

/**
 * What a value is once it is kept: JSON has no optionals, so that where one has no value, the step fails. A warning, since playbooks
 * that were taken before there was this check go on.
 */
export function keptValue(problems: Problems, value: TypedTemplate): TypedTemplate {
  warnOfOptionals(problems, value)
  return { ...value, type: withoutOptionals(value.type) }
}

/** Says where the value has an optional, at any depth. */
export function warnOfOptionals(problems: Problems, value: TypedTemplate): void {
  for (const { value: part } of value.entries ?? []) warnOfOptionals(problems, part)
  for (const item of value.items ?? []) warnOfOptionals(problems, item)
  const { template, type } = value
  if (template.kind !== 'expression' || withoutOptionals(type) === type) return
  const subject = type.kind === 'optional' ? 'the value' : 'a part of the value'
  problems.add('W413', `${subject} may be missing, and then the step fails`, value, 'add .orValue(…)')
}
