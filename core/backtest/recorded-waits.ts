import type { Checkpoint } from '../domain/checkpoint.ts'
import { stringifyJson } from '../common/json.ts'
import { canonicalJson } from '../audit/canonical-json.ts'
import type { WakeUps } from '../engine/journal/wake-ups.ts'
import { createMemoryEvents, type MemoryEvents } from '../events/memory-events.ts'
import type { AnswerReply } from '../playbook-test/run/checkpoint-answers.ts'
import { alertOf } from '../playbook-test/run/rehearse.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventContent, NewEventWait } from '../ports/runs/event-wait-store.ts'
import type { ReceivedChange, ReceivedEvent, RecordedReplies } from './recorded-replies.ts'
import type { ReplayNotes, ReplayPolicy } from './replay-notes.ts'

export interface RecordedWaitsOptions {
  readonly replies: RecordedReplies
  readonly isControl: boolean
  readonly policy: ReplayPolicy
  readonly notes: ReplayNotes
}

/** Answers questions as they were answered in the recorded run. */
export function createRecordedAnswers({ replies, isControl, policy, notes }: RecordedWaitsOptions) {
  /** Errors of messages that could not be sent, by path of the checkpoint. */
  const notSent = new Map<string, Extract<ReturnType<typeof replies.answerAt>, { kind: 'not_asked' }>>()
  const find = ({ path, question }: Checkpoint) => {
    if (isControl) {
      replies.questionAlsoKnownAs(path, question)
      return replies.answerAt(path)
    }
    const same = replies.answerTo(path, question)
    if (same !== undefined || policy !== 'assume') return same
    const similar = replies.answerAt(path)
    return similar !== undefined &&
      (similar.kind !== 'answer' ||
        (!similar.isSensitive && question.answers?.some((each) => each === similar.answer)))
      ? (notes.assume(`the answer to '${path}', which was asked differently`), similar)
      : undefined
  }
  return {
    /** The error of a message that could not be sent, by path of the checkpoint. */
    notSent: (path: string) => notSent.get(path),
    reply(checkpoint: Checkpoint): AnswerReply {
      const { path } = checkpoint
      const found = find(checkpoint)
      if (found === undefined) {
        if (policy === 'assume' || policy === 'shadow') notes.assume(`no answer to '${path}'`)
        else
          notes.cannotJudge({
            code: 'question_new',
            message: `step '${path}' asks a question that was not asked in the recorded run`,
          })
        return noAnswer
      }
      if (found.kind === 'not_asked') notSent.set(path, found)
      if (found.kind !== 'answer') return noAnswer
      const { answer, by, byKind, byName, text, delayMs } = found
      return {
        kind: 'answer',
        delayMs,
        answer,
        by,
        byKind: byKind === 'person' || byKind === 'api_key' ? byKind : undefined,
        byName: typeof byName === 'string' ? byName : undefined,
        text: typeof text === 'string' ? text : undefined,
      }
    },
  }
}

const noAnswer = { kind: 'timeout', delayMs: 0 } as const

export interface RecordedEventsOptions extends RecordedWaitsOptions {
  readonly organization: { readonly code: string }
  readonly clock: Clock
  readonly wakeUps: WakeUps
}

const nothingStops = new AbortController().signal

/** Waits receive the event that they received in the recorded run, if they wait for the same. */
export function createRecordedEvents(options: RecordedEventsOptions): MemoryEvents {
  const { replies, isControl, policy, notes, clock, wakeUps, organization } = options
  const open = ({ path, filter }: NewEventWait): void => {
    const found = replies.eventAt(path)
    if (found !== undefined && (isControl || canonicalJson(found.filter) === canonicalJson(filter))) {
      if (found.event === undefined) return
      void addLater(path, storedEvent(found.event, organization.code), found.delayMs)
    } else if (policy === 'assume' || policy === 'shadow') notes.assume(`no event for '${path}'`)
    else
      notes.cannotJudge({
        code: 'event_new',
        message: `step '${path}' waits for an event that the recorded run did not wait for`,
      })
  }
  async function addLater(
    path: string,
    event: ReturnType<typeof storedEvent>,
    delayMs: number,
  ): Promise<void> {
    await clock.sleep(delayMs, nothingStops)
    events.add(path, event)
    wakeUps.wake()
  }
  const events = createMemoryEvents(open)
  return events
}

/** The alert, or the change of a case, that expressions saw. */
function storedEvent(
  event: ReceivedEvent | ReceivedChange,
  organizationCode: string,
): { readonly at: number; readonly content: EventContent } {
  if (isChange(event))
    return { at: Date.parse(event.at), content: { change: { ...event, kind: 'case', chain: [] } } }
  const { type, provider, data, id, uuid, created_at: createdAt } = event
  const content = stringifyJson(data ?? null)
  const fixture = { type, provider, id, uuid, createdAt, content, createdAtSource: null }
  return { at: createdAt, content: { alert: alertOf(fixture, organizationCode) } }
}

const isChange = (event: ReceivedEvent | ReceivedChange): event is ReceivedChange => 'case' in event
