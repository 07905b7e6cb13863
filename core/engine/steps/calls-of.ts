import type { BoundConnection } from '../../destructive/input-hash.ts'
import { lastsText, type SkillText } from '../../destructive/skill-text.ts'
import { hide, sensitiveParts, type StepMasks } from '../../domain/mask.ts'
import { SkillError } from '../../plugin/index.ts'
import type { UsesStep } from '../../playbook/language/playbook.ts'
import type { DestructiveWork, EffectAttempt, EffectWork, WorkOutcome } from '../journal/durable-context.ts'
import { isRepeatedPath } from '../journal/paths.ts'
import { advance, type StepScope } from '../scope/scope.ts'
import type { DestructiveSkill, SkillCall } from '../skills/skill-caller.ts'
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

/** Timeout of one call of a skill. */
export const skillTimeoutMs = 60_000

/** The declarations of a step about its call. */
export type CallSettings = Pick<
  UsesStep,
  'id' | 'skill' | 'connection' | 'onInterrupted' | 'sensitive' | 'timeoutMs' | 'retry' | 'undo'
>

/** Calls the skill of a step, with its retries. */
export async function performSkill(
  walk: Walk,
  step: CallSettings,
  path: string,
  scope: StepScope,
  input: () => unknown,
): Promise<WorkOutcome> {
  const { skill, connection, onInterrupted, sensitive } = step
  const declared = walk.skills.interrupted(skill)
  const used = { connection: connection ?? null }
  const onConnection = async (name: string) => void (used.connection = name)
  const outcome = await walk.context.perform({
    path,
    stepId: step.id,
    kind: skill,
    sensitive,
    input: step.undo === undefined ? input : () => (requireUndo(walk, skill), input()),
    ...skillCallsOf(walk, { skill, connection, sensitive, onConnection }),
    destructive: destructiveWork(walk, step, path, scope, used),
    interrupted: onInterrupted ?? declared,
    mayRepeat: declared !== 'ask' || onInterrupted === 'repeat',
    timeoutMs: step.timeoutMs ?? skillTimeoutMs,
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
    retry: step.retry,
  })
  advance(scope, outcome.endedAt)
  return outcome
}

/** A step that limits its containment in time calls nothing that cannot be undone. */
function requireUndo({ skills }: Walk, skill: string): void {
  if (skills.destructive?.(skill)?.undo !== undefined) return
  throw new SkillError('undo_missing', `nothing undoes ${skill}, so the step called nothing`, {
    hint: 'leave out `undo` of the step, or use another connection',
  })
}

/** The approved input is used, even if the expression has another value by now. */
export function approvedInput(path: string, { batch }: StepScope): unknown {
  const verdict = batch?.get(path)
  return verdict !== undefined && 'input' in verdict ? verdict.input : undefined
}

/** The connection that a call of a skill would use now. */
export const boundConnectionOf = async (
  { skills, run }: Walk,
  skill: string,
  connection: string | undefined,
): Promise<BoundConnection | undefined> =>
  await skills.connectionFor?.(skill, connection, run.organizationUuid)

/** What the call does, with the time after which the step undoes it. */
export const textOfCall = ({ text }: DestructiveSkill, ends: UsesStep['undo']): SkillText | undefined =>
  text && ends ? { ...text, lasts: lastsText(ends.afterMs, ends.unless !== undefined) } : text

function destructiveWork(
  walk: Walk,
  { skill, connection, sensitive, undo: ends }: CallSettings,
  path: string,
  scope: StepScope,
  used: { readonly connection: string | null },
): DestructiveWork | undefined {
  const declared = walk.skills.destructive?.(skill)
  if (declared === undefined) return undefined
  const verdict = scope.batch?.get(path)
  const { undo, ...work } = declared
  return {
    ...work,
    text: textOfCall(declared, ends),
    outcome: (input, output) => ({
      connection: used.connection,
      contains: undo?.(input, output),
      ...(ends && { expiry: { afterMs: ends.afterMs, unless: ends.unless?.source } }),
    }),
    shown: (input) => hide(sensitive?.input, input),
    isAgain: isRepeatedPath(path),
    connection: () => boundConnectionOf(walk, skill, connection),
    batched: verdict !== undefined && 'input' in verdict ? verdict.approval : undefined,
    refused: verdict !== undefined && 'refused' in verdict ? verdict.refused : undefined,
  }
}
