import { actionsText, serverLimits } from '../../destructive/policy.ts'
import { isObject, type AnySkill, type DestructiveClass } from '../../plugin/index.ts'
import type { Context } from '../scope/context.ts'
import { innerSteps } from './inner-steps.ts'
import type { Foreach, Step } from '../language/playbook.ts'
import type { Span } from '../language/source-text.ts'

interface Found {
  readonly name: string
  readonly skill: AnySkill
  readonly class: DestructiveClass
  /** How often it is used at most. */
  readonly times: number
}

/** Where the step is written: `foreach` and `repeat` of it. */
interface Places {
  readonly foreach: Span | undefined
  readonly repeat: Span | undefined
}

/** A destructive skill that is repeated, or used more often than the limit allows without an approval. */
export function adviseDestructive(context: Context, step: Step, { foreach, repeat }: Places): void {
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
        ? 'one approval lets all of them go; lower max_items where there are never so many'
        : `put ${uses[0]!.name} into a foreach of its own, which asks once for all its items`
    const message = `up to ${actionsText(times, kind)}: more than the limit of ${limit} per hour wait for an approval`
    context.problems.add('I503', message, foreach, hint)
  }
}

function warnOfRepeat({ problems }: Context, { name, skill }: Found, at: Span): void {
  const plugin = name.slice(0, name.indexOf('.'))
  const waits = isObject(skill.input.properties) && Object.hasOwn(skill.input.properties, 'wait_seconds')
  const follow = skill.effect === 'write' ? skill.followWith : undefined
  const ways = [
    ...(waits ? ['give it wait_seconds and a longer timeout'] : []),
    follow === undefined ? 'repeat a skill that reads' : `repeat ${plugin}.${follow}`,
  ]
  problems.add(
    'W440',
    `${name} is destructive, and \`repeat\` does it again each time`,
    at,
    `call it once, and ${ways.join(', or ')}`,
  )
}

/** The destructive skills in a step, each with how often one run of the step uses it at most. */
function usesWithin(context: Context, step: Step, outer: number): readonly Found[] {
  const times = outer * (step.foreach === undefined ? 1 : mostItems(step.foreach))
  const own = step.action === 'uses' ? context.catalogue?.skill(step.skill) : undefined
  const inner = innerSteps(step).flatMap((each) => usesWithin(context, each, times))
  const skill = own?.skill
  if (own === undefined || skill?.effect !== 'write' || skill.destructive === undefined) return inner
  return [{ name: own.name, skill, class: skill.destructive, times }, ...inner]
}

/** A list that is written down has as many items as it has. */
function mostItems({ items, maxItems }: Foreach): number {
  if (items.kind === 'list') return Math.min(items.items.length, maxItems)
  return items.kind === 'literal' && Array.isArray(items.value) ? items.value.length : maxItems
}
