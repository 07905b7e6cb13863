import { wordFor } from '../domain/audit.ts'
import type { HeldUse } from '../domain/destructive-use.ts'
import { viaOperator } from '../playbook/grammar.ts'
import { ask } from './ask.ts'
import type { AskWork, EffectWork, Outcome } from './durable-context.ts'
import { HeldBack, perform } from './effect.ts'
import { record, type LocalRun } from './local-run.ts'
import { approvalPath } from './paths.ts'

/** The words to choose from, and what people read for them. */
const approvalLabels = { approve: 'Approve this use', refuse: 'Refuse it' }
export const approved: keyof typeof approvalLabels = 'approve'

/** Where nothing else ends the wait: a week. */
const longestWaitMs = 7 * 86_400_000

/**
 * Performs work; the use of a destructive skill that is held back becomes a question to a person first. What was asked about once waits
 * for the answer, also where there would be room again: it was one too many when it was wanted.
 */
export async function performOrAsk(local: LocalRun, work: EffectWork): Promise<Outcome> {
  const path = approvalPath(work.path)
  const begun = local.journal.entry(work.path) !== undefined
  if (!begun && local.journal.entry(path) !== undefined) return await askFirst(local, work)
  try {
    return await perform(local, work)
  } catch (error) {
    if (!(error instanceof HeldBack)) throw error
    return await askFirst(local, work, error)
  }
}

/** `held` is known where the question has not been asked yet; it is in the journal from then on. */
async function askFirst(local: LocalRun, work: EffectWork, held?: HeldBack): Promise<Outcome> {
  const answered = await ask(local, approvalWork(local, work, held))
  if (answered.state === 'failed') return refuse(local, work, answered)
  const { answer, by } = answered.output as { readonly answer: unknown; readonly by: string }
  if (answer === approved) return await perform(local, { ...work, isApproved: true })
  const error = {
    code: 'use_refused',
    message: `${by} refused this use of ${work.kind}`,
    hint: 'it was one more than may happen in an hour without a person: see TOCSIN_DESTRUCTIVE_PER_HOUR',
  }
  return refuse(local, work, { state: 'failed', error, endedAt: answered.endedAt })
}

function refuse(local: LocalRun, { path, stepId, kind }: EffectWork, outcome: Outcome): Outcome {
  const begin = { path, stepId, kind, input: null, attempt: 1, startedAt: outcome.endedAt }
  return record(local, begin, outcome)
}

function approvalWork(local: LocalRun, work: EffectWork, held: HeldBack | undefined): AskWork {
  const { kind, deadlineMs, shielded, stepId } = work
  return {
    path: approvalPath(work.path),
    stepId,
    kind: 'checkpoint',
    deadlineMs,
    shielded,
    question: () => ({
      question: {
        via: viaOperator,
        input: {
          message: messageOf(kind, held?.use),
          skill: kind,
          input: held?.input ?? null,
          labels: approvalLabels,
        },
        answers: Object.keys(approvalLabels),
        form: null,
      },
      withinMs: Math.min(longestWaitMs, deadlineMs - local.clock.now()),
    }),
    onTimeout: { fails: true },
    tell: () => undefined,
    answered: ({ value, by, text, at }) => ({
      state: 'completed',
      output: { answer: value, by: wordFor(by), by_kind: by.kind, text, at },
    }),
    timedOut: () => ({
      state: 'failed',
      error: { code: 'approval_timeout', message: `nobody approved this use of ${kind} in time` },
    }),
  }
}

function messageOf(skill: string, use: HeldUse | undefined): string {
  const count = use === undefined ? '' : ` ${use.uses} ${use.uses === 1 ? 'time' : 'times'}`
  const limit = use === undefined ? '' : `; ${use.limit} are allowed without a person`
  return `${skill} was used${count} within the last hour in this organization${limit}. Approve one more use, with the input below?`
}
