import type { Program, Reference } from '../expression/index.ts'
import type { Playbook, Step } from '../playbook/playbook.ts'

/**
 * Text that is the same for two steps that do the same with the same values. What stands inside of a step is not a part of it,
 * nor is how it is called, and how long and how often it is tried.
 */
export function definitionOf(step: Step): string {
  return textOf(ownParts(step))
}

/** The same for what callers of a playbook see of it. */
export function interfaceOf({ inputs, outputs, alertSchema }: Playbook): string {
  const defaults = Array.from(inputs, ([name, input]) => [name, input.schema, input.default])
  return textOf({ defaults, outputs, alertSchema })
}

/** What the step itself reads: its condition, its items, its inputs and so on. */
export function readsOf(step: Step): readonly Reference[] {
  return programsIn(ownParts(step)).flatMap(({ references }) => references)
}

/** Of these: what decides whether, how often and with which steps inside it runs. */
export function readsToDecide(step: Step): readonly Reference[] {
  const { with: given, ...own } = ownParts(step)
  const { if: condition, foreach, repeat, cases } = own
  const deciding = { condition, foreach, repeat, cases, given: step.action === 'call' ? given : undefined }
  return programsIn(deciding).flatMap(({ references }) => references)
}

/** How a step is tried, and how it is called. */
const notItsDoing: ReadonlySet<string> = new Set(
  'place name timeoutMs retry onInterrupted answerWithinMs concurrency maxItems everyMs max'.split(' '),
)
/** Steps inside. */
const inside: ReadonlySet<string> = new Set(['steps', 'else', 'onError'])

function ownParts(step: Step): Readonly<Record<string, unknown>> {
  const fields = Object.entries(step).flatMap(([name, value]: [string, unknown]) => {
    if (notItsDoing.has(name) || inside.has(name)) return []
    if (name === 'cases' && step.action === 'switch') return [[name, step.cases.map(({ when }) => when)]]
    return [[name, value]]
  })
  const whole = Object.fromEntries(fields) as Record<string, unknown>
  for (const name of ['foreach', 'repeat'])
    if (typeof whole[name] === 'object') whole[name] = withoutHow(whole[name] as object)
  return whole
}

const withoutHow = (part: object): object =>
  Object.fromEntries(Object.entries(part).filter(([name]) => !notItsDoing.has(name)))

function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`
    return isProgram(part) ? { expression: part.source } : part
  })
}

function isProgram(value: unknown): value is Program {
  return typeof value === 'object' && value !== null && 'references' in value && 'evaluate' in value
}

function programsIn(value: unknown): readonly Program[] {
  if (isProgram(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(programsIn) : []
}
