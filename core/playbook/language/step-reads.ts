import type { Program, Reference } from '../../expression/index.ts'
import type { Step } from './playbook.ts'

/** Steps of checked playbooks never change: what is said of one is worked out once, however many items it runs for. */
export function oncePerStep<T>(say: (step: Step) => T): (step: Step) => T {
  const said = new WeakMap<Step, { readonly value: T }>()
  return (step) => {
    const known = said.get(step) ?? { value: say(step) }
    said.set(step, known)
    return known.value
  }
}

/** What the step itself reads: its condition, its items, its inputs and so on. */
export const readsOf = oncePerStep((step): readonly Reference[] =>
  programsIn(ownParts(step)).flatMap(({ references }) => references),
)

/** How a step is tried, and how it is called. */
const notItsDoing: ReadonlySet<string> = new Set(
  'place name timeoutMs retry onInterrupted answerWithinMs concurrency maxItems everyMs max'.split(' '),
)
/** Steps inside. */
const inside: ReadonlySet<string> = new Set(['steps', 'else', 'onError'])

/** What stands in the step itself, without the steps inside of it. */
export function ownParts(step: Step): Readonly<Record<string, unknown>> {
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

export function isProgram(value: unknown): value is Program {
  return typeof value === 'object' && value !== null && 'references' in value && 'evaluate' in value
}

export function programsIn(value: unknown): readonly Program[] {
  if (isProgram(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(programsIn) : []
}
