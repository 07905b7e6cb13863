import { sensitiveParts, type StepMasks } from '../../domain/mask.ts'
import type { EffectAttempt, EffectWork } from '../journal/durable-context.ts'
import type { SkillCall } from '../skills/skill-caller.ts'
import { textsIn } from '../skills/texts-in.ts'
import type { Walk } from './walk.ts'

type Given = Omit<SkillCall, 'run' | 'attempt' | 'input' | 'sensitive'>

/** Calls a skill in a run, and redacts its sensitive inputs from errors and logs. */
export function skillCallOf(
  { skills, run }: Walk,
  given: Given,
): (input: unknown, attempt: EffectAttempt) => Promise<unknown> {
  return (input, attempt) => {
    const sensitive = () => textsIn(sensitiveParts(given.masks?.input, input))
    return skills.call({ ...given, input, run, attempt, sensitive })
  }
}

/** How a step calls a skill; `verify` only if the skill declares it. */
export function skillCallsOf(
  walk: Walk,
  {
    sensitive,
    ...given
  }: Pick<Given, 'skill' | 'connection' | 'onConnection'> & { readonly sensitive?: StepMasks | undefined },
): Pick<EffectWork, 'run' | 'verify'> {
  const call = { ...given, masks: sensitive }
  return {
    run: skillCallOf(walk, { ...call, purpose: 'run' }),
    ...(walk.skills.interrupted(given.skill) === 'verify' && {
      verify: skillCallOf(walk, { ...call, purpose: 'verify' }),
    }),
  }
}
