import type { StepMasks } from '../../domain/mask.ts'
import type { AnySkill, QuestionOutcome, RefusedAnswer, DestructiveClass } from '../../plugin/index.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { EffectAttempt, EffectWork } from '../journal/durable-context.ts'

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
   * attempt if that took effect, and to `undefined` if it did not. The others call what a skill that asks declares under
   * this name, about a question of it, and resolve to `undefined`.
   */
  readonly purpose: 'run' | 'verify' | 'settle' | 'remind' | 'refuse'
  /** `<plugin>.<skill>`. */
  readonly skill: string
  /** Name of the connection; undefined: the organization's only connection of that plugin. */
  readonly connection: string | undefined
  /** Resolved, and not checked against the skill's schema yet. */
  readonly input: unknown
  /** The question that `settle`, `remind` and `refuse` are about; `input` is what was given when it was asked. */
  readonly asked?: AskedBefore | undefined
  /** Is told of the connection, where there is one, before the skill is called. */
  readonly onConnection?: ((name: string) => Promise<void>) | undefined
  readonly run: SkillCallRun
  readonly attempt: EffectAttempt
  /** Where something sensitive stands in the input and in the output. Default: nowhere. */
  readonly masks?: StepMasks | undefined
  /** Sensitive texts of the input: what is said about the call, such as its errors, does not show them. Default: none. */
  readonly sensitive?: (() => readonly string[]) | undefined
}

export interface AskedBefore {
  /** What the skill answered when it asked. */
  readonly output: unknown
  /** For `settle`. */
  readonly outcome?: QuestionOutcome | undefined
  /** For `refuse`. */
  readonly answer?: RefusedAnswer | undefined
}

/** The run on whose behalf a skill is called. */
export interface SkillCallRun {
  readonly uuid: string
  readonly organizationUuid: string
  readonly playbookName: string
  /** Id of its case, which is opened where it did without one so far; undefined: it cannot have one. */
  readonly openCase: () => Promise<string | undefined>
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

/** The skills of a catalogue, called in this way. Their questions are left alone when they are over: see `followUpsOf`. */
export function skillsOf(catalogue: Pick<Catalogue, 'skill'>, call: SkillCaller): Skills {
  return {
    call,
    interrupted: (skill) => interruptedPolicy(catalogue, skill),
    destructive: (skill) => destructiveSkill(catalogue.skill(skill)?.skill),
  }
}

function destructiveSkill(skill: AnySkill | undefined): DestructiveSkill | undefined {
  if (skill?.effect !== 'write' || skill.destructive === undefined) return undefined
  return { class: skill.destructive, changedNothing: skill.changedNothing?.bind(skill) }
}

/** Whether a skill reminds, and whether it settles its questions. */
export interface FollowUps {
  readonly reminds: boolean
  readonly settles: boolean
}

export function followUpsOf(catalogue: Pick<Catalogue, 'skill'>, name: string): FollowUps {
  const skill = catalogue.skill(name)?.skill
  return { reminds: skill?.remind !== undefined, settles: skill?.settle !== undefined }
}

/** What a destructive skill declares about its uses. */
export interface DestructiveSkill {
  readonly class: DestructiveClass
  readonly changedNothing?: ((output: unknown) => boolean) | undefined
}

/** How the interpreter reaches skills. */
export interface Skills {
  readonly call: SkillCaller
  /** What to do when a crash interrupted a call of this skill; see `interruptedPolicy`. */
  readonly interrupted: (skill: string) => Interrupted
  /** Of a destructive skill: its calls go into the audit log, and count against a limit. Default: none is destructive. */
  readonly destructive?: ((skill: string) => DestructiveSkill | undefined) | undefined
  /** What a skill that asks declares about the life of its questions. Default: nothing. */
  readonly followUps?: ((skill: string) => FollowUps) | undefined
}
