import type { Reference } from '../expression/index.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import { isProgram, oncePerStep, ownParts, programsIn } from '../playbook/language/step-reads.ts'

/**
 * Text that is the same for two steps that do the same with the same values. What stands inside of a step is not a part of it,
 * nor is how it is called, and how long and how often it is tried.
 */
export const definitionOf = oncePerStep((step) => textOf(ownParts(step)))

/** The same for what callers of a playbook see of it. */
export function interfaceOf({ inputs, outputs, alertSchema }: Playbook): string {
  const defaults = Array.from(inputs, ([name, input]) => [name, input.schema, input.default])
  return textOf({ defaults, outputs, alertSchema })
}

/** Of these: what decides whether, how often and with which steps inside it runs. */
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
