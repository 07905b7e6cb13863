import type { StepMasks } from '../../domain/mask.ts'
import type { InterfaceCalls } from '../../interface/interface-calls.ts'
import { keptCall } from '../../destructive/checks/state-reading.ts'
import { exposedFields } from '../../destructive/exposed-fields.ts'
import { undoOfContaining } from '../../destructive/containing-skill.ts'
import type { Undo } from '../../destructive/containment.ts'
import type { DestructiveClass, QuestionOutcome, RefusedAnswer, RelatedCall } from '../../plugin/index.ts'
import { interfacesOf, type Catalogue, type CatalogueSkill } from '../../registry/catalogue.ts'
import { skillText, type SkillText } from '../../destructive/skill-text.ts'
import type { BoundConnection } from '../../destructive/input-hash.ts'
import type { EffectAttempt, EffectWork } from '../journal/durable-context.ts'
import { plainJson } from '../journal/plain-json.ts'

/**
 * Calls a skill once: validates the input, opens the connection, runs the skill, validates the output. The engine
 * retries and the durable context records.
 *
 * Throws RetryableError if another attempt may help; any other error ends the step. Ends soon after
 * `attempt.signal` is aborted; the engine does not wait for it.
 */
export type SkillCaller = (call: SkillCall) => Promise<unknown>

export interface SkillCall {
  /**
   * `run` resolves to the output of the skill. `verify` resolves to the output of the interrupted attempt if it
   * took effect, else to `undefined`. The others call the follow-ups of a skill that asks, and resolve to
   * `undefined`.
   */
  readonly purpose: 'run' | 'verify' | 'settle' | 'remind' | 'refuse'
  /** `<plugin>.<skill>`. */
  readonly skill: string
  /** Default: the organization's only connection of that plugin. */
  readonly connection: string | undefined
  /** Resolved, not validated yet. */
  readonly input: unknown
  /** The question for `settle`, `remind` and `refuse`; `input` is the input of the original call. */
  readonly asked?: QuestionFollowUp | undefined
  /** Called with the connection's name before the skill runs. */
  readonly onConnection?: ((name: string) => Promise<void>) | undefined
  readonly run: SkillCallRun
  readonly attempt: EffectAttempt
  /** Sensitive places in the input and output. Default: none. */
  readonly masks?: StepMasks | undefined
  /** Sensitive texts of the input, redacted from errors and logs of the call. Default: none. */
  readonly sensitive?: (() => readonly string[]) | undefined
  /** See `SendInTurnOptions`. Default: the whole rate limits. */
  readonly budgetShare?: number | undefined
}

export interface QuestionFollowUp {
  /** The output of the skill when it asked. */
  readonly output: unknown
  /** For `settle`. */
  readonly outcome?: QuestionOutcome | undefined
  /** For `refuse`. */
  readonly answer?: RefusedAnswer | undefined
}

/** The run that calls the skill. */
export interface SkillCallRun {
  readonly uuid: string
  readonly organizationUuid: string
  readonly playbookName: string
  /** Opens a case if the run has none yet, and returns its id; undefined: the run cannot have one. */
  readonly openCase: () => Promise<string | undefined>
}

/** What to do about a call that a crash interrupted; see `EffectWork.interrupted`. */
export type Interrupted = EffectWork['interrupted']

/** Follows from the declaration of the skill. For a skill that is no longer installed, a person decides. */
export function interruptedPolicy(catalogue: Pick<Catalogue, 'skill'>, name: string): Interrupted {
  const skill = catalogue.skill(name)?.skill
  if (skill === undefined) return 'ask'
  if (skill.effect === 'read' || skill.repeat === 'safe') return 'repeat'
  return skill.repeat === 'verify' ? 'verify' : 'ask'
}

/** The skills of a catalogue, without follow-ups of their questions; see `followUpsOf`. */
export function skillsOf(
  catalogue: Pick<Catalogue, 'skill'>,
  call: SkillCaller,
  interfaces?: InterfaceCalls,
  connectionFor?: Skills['connectionFor'],
): Skills {
  return {
    call,
    interfaces,
    connectionFor,
    interrupted: (skill) => interruptedPolicy(catalogue, skill),
    destructive: (skill) => destructiveSkill(catalogue, skill),
  }
}

function destructiveSkill(catalogue: Pick<Catalogue, 'skill'>, name: string): DestructiveSkill | undefined {
  const found = catalogue.skill(name)
  const skill = found?.skill
  if (skill?.effect !== 'write' || skill.destructive === undefined) return undefined
  return {
    class: skill.destructive,
    changedNothing: skill.changedNothing?.bind(skill),
    undo:
      undoOfContaining(found!) === undefined ? undefined : (input, output) => undoOf(found!, input, output),
    implements: interfacesOf(skill),
    text: skillText(catalogue, found!),
  }
}

/** The call that undoes a call of a containing skill; undefined if the skill does not contain. */
export function undoOf(found: CatalogueSkill, input: unknown, output: unknown): Undo | undefined {
  const undoneBy = undoOfContaining(found)
  if (undoneBy === undefined) return undefined
  return {
    skill: `${found.plugin.name}.${undoneBy.skill}`,
    input: inputOfUndo(found, undoneBy, { input, output }),
    call: readsState(found) ? keptCall(input, output) : undefined,
  }
}

const readsState = ({ skill }: CatalogueSkill): boolean =>
  skill.effect === 'write' && skill.stateBy !== undefined

/** Undefined if it depends on an output that is unknown, or would show a sensitive value. */
function inputOfUndo(
  { plugin, skill }: CatalogueSkill,
  undoneBy: RelatedCall,
  { input, output }: { readonly input: unknown; readonly output: unknown },
): Undo['input'] {
  try {
    const given = plainJson(undoneBy.input(input, output)) as NonNullable<Undo['input']>
    const undo = plugin.skills.find((one) => one.name === undoneBy.skill)
    const isExposed = undo !== undefined && exposedFields(skill, { input, output }, undo, given).length > 0
    return isExposed ? undefined : given
  } catch {
    return undefined
  }
}

/** Whether a skill declares `remind` and `settle`. */
export interface FollowUps {
  readonly reminds: boolean
  readonly settles: boolean
}

export function followUpsOf(catalogue: Pick<Catalogue, 'skill'>, name: string): FollowUps {
  const skill = catalogue.skill(name)?.skill
  return { reminds: skill?.remind !== undefined, settles: skill?.settle !== undefined }
}

export interface DestructiveSkill {
  readonly class: DestructiveClass
  readonly changedNothing?: ((output: unknown) => boolean) | undefined
  /** See `undoOf`. Default: it does not contain. */
  readonly undo?: ((input: unknown, output: unknown) => Undo | undefined) | undefined
  /** Names of the interfaces that it implements. Default: none. */
  readonly implements?: readonly string[] | undefined
  /** For questions. Default: only its name. */
  readonly text?: SkillText | undefined
}

/** The interpreter's access to skills. */
export interface Skills {
  readonly call: SkillCaller
  /** See `interruptedPolicy`. */
  readonly interrupted: (skill: string) => Interrupted
  /** The declaration of a destructive skill; undefined for others. Default: none is destructive. */
  readonly destructive?: ((skill: string) => DestructiveSkill | undefined) | undefined
  /**
   * The connection that a call of a skill would use now; undefined: none, or it cannot be determined. Default: never
   * determined.
   */
  readonly connectionFor?:
    | ((
        skill: string,
        connection: string | undefined,
        organizationUuid: string,
      ) => Promise<BoundConnection | undefined>)
    | undefined
  /** Default: no interface can be used. */
  readonly interfaces?: InterfaceCalls | undefined
  /** The follow-ups that a skill declares for its questions. Default: none. */
  readonly followUps?: ((skill: string) => FollowUps) | undefined
}
