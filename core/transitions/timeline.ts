import { inputText } from '../case/action-input.ts'
import { actionText } from '../case/actions.ts'
import { theExpiry, type ExpiryOutcome } from '../destructive/containment.ts'
import { theCheck } from '../destructive/checks/containment-state.ts'
import type { EndedBy } from '../destructive/checks/state-checks.ts'
import type { Mention } from '../case/mentions.ts'
import { approvalNote } from '../destructive/policy.ts'
import { theRun, type Actor } from '../domain/audit.ts'
import { caseFieldNames, type CaseAction, type CaseEdit, type CaseEntry } from '../domain/case.ts'
import type { Checkpoint } from '../domain/checkpoint.ts'
import { decisionLabel } from './question.ts'
import type { HeldUses } from '../domain/destructive-use.ts'
import type { Run, RunEnd, StepDecision } from '../domain/run.ts'
import { textAt } from '../plugin/index.ts'
import type { BulkAnswer } from '../ports/runs/checkpoint-store.ts'
import { apiChanges, editableFields } from './case.ts'

/** An entry for the timeline of a case. */
export interface NewCaseEntry extends Omit<CaseEntry, 'actor' | 'request_id'> {
  readonly by: Actor
}

type NamedRun = Pick<Run, 'uuid' | 'playbookName'>

/** Characters of an error. The run has all of it. */
const maxError = 500
/** Characters of a question. */
const maxQuestion = 300

export const timelineEntry = (
  kind: CaseEntry['kind'],
  text: string,
  by: Actor,
  at: number,
): NewCaseEntry => ({ at, by, kind, text, changes: null, action: null, mentions: [] })

export const openedEntry = (by: Actor, at: number): NewCaseEntry =>
  timelineEntry('opened', 'The case was opened.', by, at)

export const noteEntry = (
  text: string,
  by: Actor,
  at: number,
  mentions: readonly Mention[] = [],
): NewCaseEntry => ({ ...timelineEntry('note', text, by, at), mentions })

/** Lists the changed fields with their earlier values, and why other fields were kept. */
export function changedEntry(
  before: CaseEdit,
  changes: CaseEdit,
  by: Actor,
  at: number,
  kept: readonly string[] = [],
): NewCaseEntry {
  const changed = editableFields
    .filter((field) => changes[field] !== undefined)
    .map((field) => {
      const name = caseFieldNames[field].replaceAll('_', ' ')
      return isLong(field)
        ? longChange(name, changes[field])
        : describeChange(name, before[field], changes[field])
    })
  const parts = [...(changed.length === 0 ? [] : [changed.join(', ')]), ...kept]
  const text = parts.length === 0 ? 'nothing changed' : parts.join('; ')
  return { ...timelineEntry('changed', text, by, at), changes: apiChanges(changes) }
}

/** Texts of several lines, which an entry does not repeat. */
const isLong = (field: keyof CaseEdit): boolean => field === 'summary' || field === 'resolution'
const longChange = (name: string, after: string | null | undefined): string =>
  after === '' ? `no ${name}` : `new ${name}`

function describeChange(field: string, before: string | null | undefined, after: string | null | undefined) {
  const was = before === after ? '' : ` (was ${before ?? 'none'})`
  return `${field} is now ${after ?? 'none'}${was}`
}

/** @param choice why this playbook was chosen; null: nothing to say */
export function investigationEntries(
  run: NamedRun,
  alert: { readonly id: string; readonly retryCount: number },
  choice: string | null,
  at: number,
): readonly NewCaseEntry[] {
  const again = alert.retryCount === 0 ? '' : 'again '
  const text = `Alert ${alert.id} is ${again}investigated by ${run.playbookName}.`
  const texts = choice === null ? [text] : [text, choice]
  return texts.map((each) => timelineEntry('alert', each, actorOf(run), at))
}

export function runEndedEntry(run: NamedRun, end: RunEnd, at: number): NewCaseEntry {
  const outcomes = {
    completed: ' completed.',
    cancelled: ' was cancelled.',
    failed: end.error === null ? ' failed.' : ` failed: ${end.error.message.slice(0, maxError)}`,
  }
  const text = `The run of ${run.playbookName}${outcomes[end.status]}`
  return timelineEntry('run_ended', text, actorOf(run), at)
}

const decisionTexts: Readonly<Record<StepDecision, string>> = {
  ran: 'it happened',
  ran_output_unknown: 'it happened, output unknown',
  run_again: 'run it again',
  skip: 'skip it',
}

/** A person's decision about a step with unknown outcome. */
export function decisionEntry(
  step: { readonly path: string; readonly skill: string; readonly decision: StepDecision },
  by: Actor,
  at: number,
): NewCaseEntry {
  const { path, skill, decision } = step
  const text = `decided about step ${path} (${skill}), whose outcome was unknown: ${decisionTexts[decision]}`
  return timelineEntry('decision', text, by, at)
}

/** The answer that counts. The values of a form may be sensitive and are left out. */
export function answerEntry(
  checkpoint: Checkpoint,
  by: Actor,
  together: BulkAnswer | undefined,
  at: number,
): NewCaseEntry {
  const { question, path, stepId } = checkpoint
  const label = decisionLabel(checkpoint)
  const said = label === undefined ? 'filled in the form' : `answered '${label}'`
  const asked = (textAt(question.input, 'message') ?? `step ${stepId ?? path}`).slice(0, maxQuestion)
  const many = together === undefined ? '' : `, with ${together.count - 1} more of its kind`
  return timelineEntry('decision', `${said}${many}, to: ${asked.toWellFormed()}`, by, at)
}

export const approvalEntry = (run: NamedRun, skill: string, held: HeldUses, at: number): NewCaseEntry =>
  noteEntry(approvalNote(skill, held), actorOf(run), at)

export const actionEntry = (run: NamedRun, action: CaseAction, at: number): NewCaseEntry => ({
  ...timelineEntry('action', actionText(action), actorOf(run), at),
  action,
})

/** A containment that expired, and the run that undoes it. */
export const expiredEntry = (action: CaseAction, runUuid: string, at: number): NewCaseEntry =>
  noteEntry(`${containmentText(action)} has expired: the run ${runUuid} undoes it.`, theExpiry, at)

/** A containment that expired and was not undone. */
export function notUndoneEntry(action: CaseAction, { kind, note }: ExpiryOutcome, at: number): NewCaseEntry {
  const text = kind === 'kept' ? 'stays in effect until people undo it' : 'has expired and was not undone'
  return noteEntry(`${containmentText(action)} ${text}: ${note}.`, theExpiry, at)
}

export function extendedEntry(
  action: CaseAction,
  expiresAt: number | null,
  by: Actor,
  at: number,
): NewCaseEntry {
  const end = expiresAt === null ? 'people undo it' : new Date(expiresAt).toISOString()
  return timelineEntry('decision', `${containmentText(action)} stays in effect until ${end}.`, by, at)
}

/** A containment that is no longer in effect, as a check noticed. */
export function releasedEntry(action: CaseAction, endedBy: EndedBy, at: number): NewCaseEntry {
  const who =
    endedBy === 'outside'
      ? 'it was undone outside of Tocsin'
      : 'a call with unknown outcome may have undone it'
  return noteEntry(`${containmentText(action)} is no longer in effect: ${who}.`, theCheck, at)
}

function containmentText(action: CaseAction): string {
  const input = inputText(action)
  return `The containment by ${action.skill}${input === '' ? '' : ` (${input})`}`
}

const actorOf = ({ uuid, playbookName }: NamedRun): Actor => theRun(uuid, playbookName)
