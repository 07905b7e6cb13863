import { kindOf, skillToApprove } from '../../checkpoint/kind.ts'
import type { Checkpoint } from '../../domain/checkpoint.ts'
import { chainAfter } from './start-rules.ts'
import type { Run, RunEvent, RunTrigger, StoredError, TriggerKind } from '../../domain/run.ts'

/**
 * The chain of an event of a run; undefined: it starts no playbooks. A run never starts others by the same kind of event that started it
 * or a run before it: playbooks that tell of failed runs do not tell of each other's.
 */
export const chainOfRunEvent = (
  kind: TriggerKind,
  { trigger, playbookName }: Pick<Run, 'trigger' | 'playbookName'>,
): readonly string[] | undefined =>
  trigger?.kind === kind ? undefined : chainAfter(trigger?.chain ?? [], playbookName)

const runFields = ({ uuid, playbookName, alertId, caseId }: Origin) => ({
  id: uuid,
  playbook: playbookName,
  alert_id: alertId,
  case_id: caseId,
})

type Origin = Pick<Run, 'uuid' | 'playbookName' | 'alertId' | 'caseId'>

/** What happened to a run, and the step with an unknown outcome. */
export interface RunHappening {
  readonly event: RunEvent
  readonly step: { readonly path: string; readonly skill: string } | null
  readonly error: Pick<StoredError, 'code' | 'message'>
}

/** The `trigger` of a run that starts because of what happened to another one. */
export const runTriggerOf = (
  run: Origin,
  { event, step, error }: RunHappening,
  chain: readonly string[],
  at: number,
): RunTrigger => ({
  kind: 'run',
  at: new Date(at).toISOString(),
  chain,
  events: [event],
  run: runFields(run),
  step,
  error: { code: error.code, message: error.message },
})

/** The `trigger` of a run that starts because a question waits. Without the text of the question. */
export const questionTriggerOf = (
  checkpoint: Checkpoint,
  waitedMs: number,
  chain: readonly string[],
): RunTrigger => ({
  kind: 'question',
  at: new Date(checkpoint.createdAt + waitedMs).toISOString(),
  chain,
  question: {
    kind: kindOf(checkpoint),
    is_approval: skillToApprove(checkpoint) !== undefined,
    skill: skillToApprove(checkpoint) ?? null,
    step_id: checkpoint.stepId,
    asked_at: new Date(checkpoint.createdAt).toISOString(),
    expires_at: new Date(checkpoint.timeoutAt).toISOString(),
  },
  run: runFields({ ...checkpoint, uuid: checkpoint.runUuid }),
  waited_seconds: Math.floor(waitedMs / 1000),
})

/** The end of a run as an event; undefined: nothing that playbooks react to. */
export const endedRunEvent = ({ status, error }: Pick<Run, 'status' | 'error'>): RunHappening | undefined =>
  status === 'failed'
    ? { event: 'failed', step: null, error: error ?? { code: 'failed', message: 'the run failed' } }
    : undefined

/** A step has an unknown outcome. */
export const unknownStepEvent = (path: string, skill: string): RunHappening => ({
  event: 'unknown',
  step: { path, skill },
  error: { code: 'unknown_outcome', message: `whether ${skill} took effect is unknown` },
})

/** How long the question of a trigger had waited, in milliseconds. */
export const waitedMsOf = (trigger: RunTrigger): number => Number(trigger['waited_seconds']) * 1000
