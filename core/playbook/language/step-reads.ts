import type { Program, Reference } from '../../expression/index.ts'
import type { Step } from './playbook.ts'

/** Caches a function of steps, which are immutable. */
export function oncePerStep<T>(say: (step: Step) => T): (step: Step) => T {
  const said = new WeakMap<Step, { readonly value: T }>()
  return (step) => {
    const known = said.get(step) ?? { value: say(step) }
    said.set(step, known)
    return known.value
  }
}

/** The reads of the step itself: its condition, items, inputs and so on. */
export const readsOf = oncePerStep((step): readonly Reference[] =>
  programsIn(ownParts(step)).flatMap(({ references }) => references),
)

/** Fields that do not change the effect of a step. */
const notItsDoing: ReadonlySet<string> = new Set(
  'place name timeoutMs retry onInterrupted answerWithinMs concurrency maxItems everyMs max'.split(' '),
)
/** Steps inside. */
const inside: ReadonlySet<string> = new Set(['steps', 'else', 'onError'])

/** The fields of the step itself, without the steps inside. */
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
