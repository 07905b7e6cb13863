import type { Reference } from '../expression/index.ts'
import type { Playbook, Step } from '../playbook/language/playbook.ts'
import { isProgram, oncePerStep, ownParts, programsIn } from '../playbook/language/step-reads.ts'

/**
 * Text that is equal for two steps that do the same with the same values. Ignores nested steps, the id,
 * timeouts, retries, when a containment is undone, and the output of a group, which follows from the steps inside.
 */
export const definitionText = oncePerStep((step) => textOf(doingOf(step)))

/** The references of a step, without those in the output of a group. */
export const readsToRun = oncePerStep((step): readonly Reference[] =>
  programsIn(doingOf(step)).flatMap(({ references }) => references),
)

/** Whether the output of a group is computed in the same way. */
export const outputText = oncePerStep((step) => textOf(ownParts(step)['output'] ?? null))

/** The references of the output of a group. */
export const readsForOutput = oncePerStep((step): readonly Reference[] =>
  programsIn(ownParts(step)['output']).flatMap(({ references }) => references),
)

function doingOf(step: Step): Readonly<Record<string, unknown>> {
  const { output, rate, undo, ...doing } = ownParts(step)
  return doing
}

/** Like `definitionText`, for the inputs, outputs and alert schema of a playbook. */
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
