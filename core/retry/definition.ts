import type { Reference } from '../expression/index.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { isProgram, oncePerStep, ownParts, programsIn } from '../playbook/language/step-reads.ts'

/**
 * Text that is equal for two steps that do the same with the same values. Ignores nested steps, the id,
 * timeouts and retries.
 */
export const definitionText = oncePerStep((step) => textOf(ownParts(step)))

/** The same for the interface of a playbook to its callers. */
export function interfaceOf({ inputs, outputs, alertSchema }: Playbook): string {
  const defaults = Array.from(inputs, ([name, input]) => [name, input.schema, input.default])
  return textOf({ defaults, outputs, alertSchema })
}

/** The references that decide whether, how often and with which nested steps a step runs. */
export const readsToDecide = oncePerStep((step): readonly Reference[] => {
  const { with: given, ...own } = ownParts(step)
  const { if: condition, foreach, repeat, cases } = own
  const deciding = { condition, foreach, repeat, cases, given: step.action === 'call' ? given : undefined }
  return programsIn(deciding).flatMap(({ references }) => references)
})

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    return isProgram(part) ? { expression: part.source } : part
  })
}
