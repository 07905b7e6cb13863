import { actionsText, serverLimits } from '../../destructive/policy.ts'
import { isObject, type AnySkill, type DestructiveClass } from '../../plugin/index.ts'
import type { ReadContext } from '../scope/context.ts'
import { innerSteps } from './inner-steps.ts'
import type { Foreach, Step } from '../language/playbook.ts'
import type { Span } from '../language/source-text.ts'

interface Found {
  readonly name: string
  readonly skill: AnySkill
  readonly class: DestructiveClass
  /** Maximum number of uses. */
  readonly times: number
}

/** The places of `foreach` and `repeat` of a step. */
interface Places {
  readonly foreach: Span | undefined
  readonly repeat: Span | undefined
}

/** Reports destructive skills that are repeated, or used more often than the limit without approval. */
export function adviseDestructive(context: ReadContext, step: Step, { foreach, repeat }: Places): void {
  if (foreach === undefined && repeat === undefined) return
  const found = usesWithin(context, step, 1)
  if (repeat !== undefined) for (const each of found) warnOfRepeat(context, each, repeat)
  if (foreach === undefined || step.foreach === undefined) return
  for (const [kind, uses] of Map.groupBy(found, (each) => each.class)) {
    const times = uses.reduce((sum, each) => sum + each.times, 0)
    const limit = serverLimits()[kind]
    if (times <= limit) continue
    const hint =
      step.action === 'uses'
        ? 'one approval covers all of them; lower max_items if there are always fewer'
        : `put ${uses[0]!.name} into a foreach of its own, which asks once for all its items`
    const message = `up to ${actionsText(times, kind)}: those beyond the limit of ${limit} per hour wait for approval`
    context.problems.add('I503', message, foreach, hint)
  }
}

function warnOfRepeat({ problems }: ReadContext, { name, skill }: Found, at: Span): void {
  const plugin = name.slice(0, name.indexOf('.'))
  const waits = isObject(skill.input.properties) && Object.hasOwn(skill.input.properties, 'wait_seconds')
  const related = skill.effect === 'write' ? skill.followWith : undefined
  const follow = typeof related === 'object' ? related.skill : related
  const ways = [
    ...(waits ? ['give it wait_seconds and a longer timeout'] : []),
    follow === undefined ? 'repeat a skill that reads' : `repeat ${plugin}.${follow}`,
  ]
  problems.add(
    'W440',
    `${name} is destructive, and \`repeat\` runs it again in each round`,
    at,
    `call it once, and ${ways.join(', or ')}`,
  )
}

/** The destructive skills in a step, each with its maximum number of uses per run of the step. */
function usesWithin(context: ReadContext, step: Step, outer: number): readonly Found[] {
  const times = outer * (step.foreach === undefined ? 1 : mostItems(step.foreach))
  const own = step.action === 'uses' ? context.catalogue?.skill(step.skill) : undefined
  const inner = innerSteps(step).flatMap((each) => usesWithin(context, each, times))
  const skill = own?.skill
  if (own === undefined || skill?.effect !== 'write' || skill.destructive === undefined) return inner
  return [{ name: own.name, skill, class: skill.destructive, times }, ...inner]
}

/** A literal list has a known length. */
function mostItems({ items, maxItems }: Foreach): number {
  if (items.kind === 'list') return Math.min(items.items.length, maxItems)
  return items.kind === 'literal' && Array.isArray(items.value) ? items.value.length : maxItems
}
