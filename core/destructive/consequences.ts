import type { DestructiveClass } from '../plugin/index.ts'
import type { Program } from '../expression/index.ts'
import { innerSteps } from '../playbook/check/inner-steps.ts'
import type { Playbook, Step } from '../playbook/language/playbook.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A destructive action that may follow an answer. */
export interface Consequence {
  readonly stepId: string | null
  readonly skill: string
  /** Title of the skill. */
  readonly title: string
  readonly class: DestructiveClass
}

export interface World {
  readonly catalogue: Pick<Catalogue, 'skill'>
  /** The callable playbook of a name; undefined if there is none. */
  readonly called: (name: string) => Promise<Playbook | undefined>
}

interface Walk extends World {
  readonly condition: (condition: Program | undefined) => boolean | undefined
  readonly seen: ReadonlySet<string>
  readonly found: Map<string, Consequence>
}

const notKnown = (): undefined => undefined

/**
 * The destructive actions that may follow this answer to the checkpoint at a path. Includes everything except
 * what the answer alone rules out.
 */
export async function consequencesOf(
  playbook: Playbook,
  path: string,
  answer: unknown,
  world: World,
): Promise<readonly Consequence[]> {
  const keys = path.split('/').map((key) => key.replace(/(\[\d+\]|#\d+)+$/, ''))
  const walk: Walk = {
    ...world,
    condition: notKnown,
    seen: new Set([playbook.name]),
    found: new Map(),
  }
  await following(playbook, keys, answer, walk)
  return [...walk.found.values()]
}

/** The steps of a playbook after the place, and those that always run last. */
async function following(
  playbook: Playbook,
  keys: readonly string[],
  answer: unknown,
  walk: Walk,
): Promise<void> {
  const last = keys[0] === '@finally' || keys[0] === '@on_run_error' ? keys.slice(1) : keys
  const lists = [playbook.steps, playbook.onError, playbook.finally]
  for (const steps of lists) if ((await behind(steps, last, answer, walk)) !== undefined) break
  await collect(playbook.finally, { ...walk, condition: notKnown })
}

/** Finds the place among these steps and collects what follows it; undefined if it is not there. */
async function behind(
  steps: readonly Step[],
  [key, ...rest]: readonly string[],
  answer: unknown,
  walk: Walk,
): Promise<'ends' | 'goes_on' | undefined> {
  const at = steps.findIndex((step) => step.key === key)
  const step = steps[at]
  if (step === undefined) return undefined
  const isPlace = rest.length === 0
  const inner = isPlace ? [] : insideOf(step, rest)
  let within: 'ends' | 'goes_on' | undefined
  for (const list of inner) within ??= await behind(list.steps, list.keys, answer, walk)
  if (step.action === 'call' && !isPlace) {
    const playbook = await walk.called(step.playbook)
    if (playbook !== undefined) await following(playbook, rest, answer, walk)
  }
  // The next item or iteration may perform the action that this one asked about.
  if (step.foreach !== undefined || step.repeat !== undefined) await collect(innerSteps(step), walk)
  // After a `foreach` or a call, expressions cannot read the answer.
  const isSeen = step.foreach === undefined && (isPlace || step.action !== 'call')
  const id = [key, ...rest].at(-1)
  const condition = isSeen && id !== undefined ? conditionWith(id, answer) : notKnown
  if (within === 'ends' && step.onError === 'fail') return 'ends'
  return (await collect(steps.slice(at + 1), { ...walk, condition })) ? 'ends' : 'goes_on'
}

/** The lists of steps inside a step, each with the rest of the path. */
function insideOf(
  step: Step,
  rest: readonly string[],
): readonly { readonly steps: readonly Step[]; readonly keys: readonly string[] }[] {
  const handlers = typeof step.onError === 'string' ? [] : step.onError
  if (rest[0] === '@on_error') return [{ steps: handlers, keys: rest.slice(1) }]
  switch (step.action) {
    case 'steps':
      return [{ steps: step.steps, keys: rest }]
    case 'parallel':
      return step.steps.map((branch) => ({ steps: [branch], keys: rest }))
    case 'switch': {
      const [which = '', ...keys] = rest
      return [{ steps: which === 'else' ? step.else : (step.cases[Number(which)]?.steps ?? []), keys }]
    }
    case 'uses':
    case 'set':
    case 'state':
    case 'checkpoint':
    case 'call':
    case 'wait':
    case 'return':
    case 'fail':
      return []
  }
}

/**
 * Adds the destructive actions of the steps, except those that a condition rules out. Returns true if nothing
 * runs after them.
 */
async function collect(steps: readonly Step[], walk: Walk): Promise<boolean> {
  for (const step of steps) {
    const runs = walk.condition(step.if)
    if (runs === false) continue
    const ends = await collectStep(step, walk)
    if (ends && step.foreach === undefined && (step.if === undefined || runs === true)) return true
  }
  return false
}

async function collectStep(step: Step, walk: Walk): Promise<boolean> {
  if (typeof step.onError !== 'string') await collect(step.onError, walk)
  switch (step.action) {
    case 'uses': {
      const found = walk.catalogue.skill(step.skill)
      if (found?.skill.effect !== 'write' || found.skill.destructive === undefined) return false
      const { title, destructive } = found.skill
      walk.found.set(`${step.id ?? ''} ${step.skill}`, {
        stepId: step.id,
        skill: step.skill,
        title,
        class: destructive,
      })
      return false
    }
    case 'steps':
      return (await collect(step.steps, walk)) && step.onError === 'fail'
    case 'parallel':
      for (const branch of step.steps) await collect([branch], walk)
      return false
    case 'switch':
      return (await collectCases(step, walk)) && step.onError === 'fail'
    case 'call': {
      if (walk.seen.has(step.playbook)) return false
      const playbook = await walk.called(step.playbook)
      if (playbook === undefined) return false
      const inner = { ...walk, condition: notKnown, seen: new Set([...walk.seen, step.playbook]) }
      await collect([...playbook.steps, ...playbook.onError, ...playbook.finally], inner)
      return false
    }
    case 'return':
    case 'fail':
      return true
    case 'set':
    case 'state':
    case 'checkpoint':
    case 'wait':
      return false
  }
}

/** Returns true if nothing runs after any possible case. */
async function collectCases(step: Extract<Step, { action: 'switch' }>, walk: Walk): Promise<boolean> {
  let allEnd = true
  for (const { when, steps } of step.cases) {
    const holds = walk.condition(when)
    if (holds === false) continue
    allEnd = (await collect(steps, walk)) && allEnd
    if (holds === true) return allEnd
  }
  return (await collect(step.else, walk)) && allEnd
}

/**
 * Evaluates conditions with only the answer known. An expression that reads anything else is undecided; `.?`
 * would treat unknown data as absent, so such expressions are undecided too.
 */
function conditionWith(id: string, answer: unknown): Walk['condition'] {
  const output = { answer, by: null, by_kind: null, at: null, text: null }
  const names = { steps: { [id]: { status: 'completed', ok: true, output } } }
  return (condition) => {
    if (condition === undefined) return true
    const others = condition.references.filter(({ root, path }) => root !== 'steps' || path[0] !== id)
    if (others.length > 0 && /\.\?|\[\?|orValue/.test(condition.source)) return undefined
    try {
      const value = condition.evaluate(names)
      return typeof value === 'boolean' ? value : undefined
    } catch {
      return undefined
    }
  }
}
