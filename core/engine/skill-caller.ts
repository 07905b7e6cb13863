import type { Catalogue } from '../registry/catalogue.ts'
import type { EffectAttempt, EffectWork } from './durable-context.ts'
import type { Skills } from './walk.ts'

/**
 * Calls a skill once: checks the input, opens the connection, runs the skill, checks the output. Nothing is retried here (the
 * engine retries) and nothing is remembered (the durable context does).
 *
 * Throws RetryableError where another try may help; every other error ends the step. Ends soon after `attempt.signal` is
 * aborted; the engine does not wait for it.
 */
export type SkillCaller = (call: SkillCall) => Promise<unknown>

export interface SkillCall {
  /**
   * `run` calls the skill and resolves to its output. `verify` calls its `verify` and resolves to the output of the interrupted
   * attempt if that took effect, and to `undefined` if it did not.
   */
  readonly purpose: 'run' | 'verify'
  /** `<plugin>.<skill>`. */
  readonly skill: string
  /** Name of the connection; undefined: the organization's only connection of that plugin. */
  readonly connection: string | undefined
  /** Resolved, and not checked against the skill's schema yet. */
  readonly input: unknown
  readonly run: SkillCallRun
  readonly attempt: EffectAttempt
  /** Texts that are sensitive in the run: whatever is said about the call, such as its errors, does not show them. Default: none. */
  readonly sensitive?: (() => readonly string[]) | undefined
}

/** The run on whose behalf a skill is called. */
export interface SkillCallRun {
  readonly uuid: string
  readonly organizationUuid: string
  readonly caseId: string | null
}

/** What to do about a call that a crash interrupted; see `EffectWork.interrupted`. */
export type Interrupted = EffectWork['interrupted']

/** Follows from what the skill declares. A skill that is no longer installed is asked about: nobody knows what it did. */
export function interruptedPolicy(catalogue: Pick<Catalogue, 'skill'>, name: string): Interrupted {
  const skill = catalogue.skill(name)?.skill
  if (skill === undefined) return 'ask'
  if (skill.effect === 'read' || skill.repeat === 'safe') return 'repeat'
  return skill.repeat === 'verify' ? 'verify' : 'ask'
}

/** The skills of a catalogue, called in this way. */
export function skillsOf(catalogue: Pick<Catalogue, 'skill'>, call: SkillCaller): Skills {
  return {
    call,
    interrupted: (skill) => interruptedPolicy(catalogue, skill),
    schemas: (skill) => catalogue.skill(skill)?.skill,
  }
}
