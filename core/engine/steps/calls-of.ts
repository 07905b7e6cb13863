import { sensitiveParts, type StepMasks } from '../../domain/mask.ts'
import type { EffectAttempt, EffectWork } from '../journal/durable-context.ts'
import type { SkillCall } from '../skills/skill-caller.ts'
import { textsIn } from '../skills/texts-in.ts'
import type { Walk } from './walk.ts'

type Given = Omit<SkillCall, 'run' | 'attempt' | 'input' | 'sensitive'>

/** How a skill is called in a run, whatever for: what is sensitive in its input stays out of what is said about the call. */
export function callOf(
  { skills, run }: Walk,
  given: Given,
): (input: unknown, attempt: EffectAttempt) => Promise<unknown> {
  return (input, attempt) => {
    const sensitive = () => textsIn(sensitiveParts(given.masks?.input, input))
    return skills.call({ ...given, input, run, attempt, sensitive })
  }
}

/** The ways in which a step calls a skill; only one that declares so can tell what became of a call. */
export function callsOf(
  walk: Walk,
  {
    sensitive,
    ...given
  }: Pick<Given, 'skill' | 'connection' | 'onConnection'> & { readonly sensitive?: StepMasks | undefined },
): Pick<EffectWork, 'run' | 'verify'> {
  const call = { ...given, masks: sensitive }
  return {
    run: callOf(walk, { ...call, purpose: 'run' }),
    ...(walk.skills.interrupted(given.skill) === 'verify' && {
      verify: callOf(walk, { ...call, purpose: 'verify' }),
    }),
  }
}
