import type { EffectAttempt, EffectWork } from './durable-context.ts'
import type { Scope } from './scope.ts'
import { sensitiveTexts } from './sensitive.ts'
import type { SkillCall } from './skill-caller.ts'
import type { Walk } from './walk.ts'

/** How a skill is called in a run, whatever for: what is sensitive in the run stays out of what is said about the call. */
export function callOf(
  { skills, run }: Walk,
  { thread }: Scope,
  given: Omit<SkillCall, 'run' | 'attempt' | 'input' | 'sensitive'>,
): (input: unknown, attempt: EffectAttempt) => Promise<unknown> {
  return (input, attempt) => {
    const declared = skills.schemas?.(given.skill)?.input ?? {}
    const sensitive = () => [...thread.sensitive, ...sensitiveTexts(declared, input)]
    return skills.call({ ...given, input, run, attempt, sensitive })
  }
}

/** The ways in which a step calls a skill; only one that declares so can tell what became of a call. */
export function callsOf(
  walk: Walk,
  given: Pick<SkillCall, 'skill' | 'connection' | 'onConnection'>,
  scope: Scope,
): Pick<EffectWork, 'run' | 'verify'> {
  return {
    run: callOf(walk, scope, { ...given, purpose: 'run' }),
    ...(walk.skills.interrupted(given.skill) === 'verify' && {
      verify: callOf(walk, scope, { ...given, purpose: 'verify' }),
    }),
  }
}
