import type { ActionDecision, ActionOutcome, CaseAction } from '../domain/case.ts'
import { type Checkpoint, labelOfAnswer, nameOfAnswerer } from '../domain/checkpoint.ts'
import { hide } from '../domain/mask.ts'
import type { JournalEntry } from '../domain/run.ts'
import { isApprovalPath, pathToApprove } from '../engine/journal/paths.ts'
import { approvingAnswers } from '../transitions/question.ts'
import { textAt, valueAt } from '../plugin/index.ts'
import { inputText, actionTarget } from './action-input.ts'

/** Maximum length of an input as JSON; larger inputs are kept only in the run. */
const maxInput = 4_000
/** Maximum length of a text of another system or a person. */
const maxShown = 500
const maxStatus = 100
/** Maximum number of earlier questions of the run, newest first. */
const maxDecisions = 5

/** A destructive action as recorded in the journal. */
export interface RecordedUse {
  readonly run: { readonly uuid: string; readonly playbookName: string }
  readonly entry: JournalEntry
  /** Whether it certainly changed nothing. */
  readonly changedNothing: boolean
  /** Checkpoints answered in this run and in the runs it retries, oldest first. */
  readonly answered: readonly Checkpoint[]
}

/** The action as shown in its case. */
export function actionOf(use: RecordedUse, at: number): CaseAction {
  const { run, entry } = use
  const { path, stepId, kind: skill, startedAt, error } = entry
  const output = hide(entry.sensitive?.output, entry.output)
  const input = inputOf(entry)
  const target = actionTarget(input, output)
  return {
    skill,
    run_uuid: run.uuid,
    playbook: run.playbookName,
    path,
    step_id: stepId,
    input,
    ...(target !== undefined && { target }),
    outcome: outcomeOf(use),
    status: statusIn(output),
    error: error && { code: error.code, message: error.message.slice(0, maxShown) },
    decisions: decisionsOf(use),
    started_at: startedAt,
    at: entry.endedAt ?? at,
  }
}

function statusIn(output: unknown): string | null {
  const status = textAt(output, 'status') ?? textAt(valueAt(output, 'action'), 'status')
  return status?.slice(0, maxStatus) ?? null
}

/** Reports `failed` only if the action certainly changed nothing. */
function outcomeOf({ entry: { state }, changedNothing }: RecordedUse): ActionOutcome {
  if (state === 'completed') return changedNothing ? 'unchanged' : 'accepted'
  return state === 'failed' && changedNothing ? 'failed' : 'unknown'
}

function inputOf({ input, sensitive }: JournalEntry): CaseAction['input'] {
  const shown = hide(sensitive?.input, input)
  if (typeof shown !== 'object' || shown === null || JSON.stringify(shown).length > maxInput) return null
  return shown as Readonly<Record<string, unknown>>
}

function decisionsOf({ run, entry, answered }: RecordedUse): readonly ActionDecision[] {
  const approved = new Set([entry.path, entry.path.replace(/\[\d+\]$/, '')])
  const asked = answered.flatMap((checkpoint): readonly ActionDecision[] => {
    const { answer, path } = checkpoint
    const isApproval = isApprovalPath(path)
    if (answer === null || answer.at > (entry.endedAt ?? Infinity)) return []
    const isOfRest =
      answer.value === approvingAnswers.rest &&
      checkpoint.runUuid === run.uuid &&
      textAt(checkpoint.question.input, 'skill') === entry.kind &&
      answer.at <= entry.startedAt
    if (isApproval && !approved.has(pathToApprove(path)) && !isOfRest) return []
    return [...(checkpoint.counted ?? []), answer].map((each) => ({
      kind: isApproval ? 'approval' : 'answer',
      by: { ...each.by, name: nameOfAnswerer(checkpoint, each.by) ?? each.by.name },
      answer: labelOfAnswer(checkpoint.question, each)?.slice(0, maxShown) ?? null,
      path,
      at: each.at,
    }))
  })
  const { resolution, path } = entry
  if (resolution === undefined) return asked.slice(-maxDecisions)
  const { by, decision, at } = resolution
  return [...asked.slice(-maxDecisions), { kind: 'resolution', by, answer: decision, path, at }]
}

export const actionOutcomeTexts: Readonly<Record<ActionOutcome, string>> = {
  accepted: 'accepted',
  unchanged: 'changed nothing: it was already in effect',
  failed: 'failed and changed nothing',
  unknown: 'has an unknown outcome: it may have taken effect',
}

/** `Action: endpoint_security.isolate_machine accepted (status Pending), with id: 1f2e`, for the timeline. */
export function actionText(action: CaseAction): string {
  const { skill, outcome, status, error } = action
  const state = status === null ? '' : ` (status ${status})`
  const reason = error === null ? '' : `: ${error.message}`
  const input = inputText(action)
  return `Action: ${skill} ${actionOutcomeTexts[outcome]}${state}${reason}${input === '' ? '' : `, with ${input}`}`
}
