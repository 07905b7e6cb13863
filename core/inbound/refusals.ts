import type { Checkpoint } from '../domain/checkpoint.ts'
import { runAttempt } from '../engine/context/attempt.ts'
import { questionInput } from '../engine/steps/waits/question-input.ts'
import { sensitiveParts } from '../domain/mask.ts'
import { textsIn } from '../engine/skills/texts-in.ts'
import type { SkillCaller } from '../engine/skills/skill-caller.ts'
import { acceptedBy } from '../playbook/check/mask-of-type.ts'
import type { JsonSchema, RefusedAnswer } from '../plugin/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Stores } from '../ports/stores.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A person gets at most one refusal per question in this time. */
const onceInMs = 60_000
/** Maximum number of remembered pairs of person and question. */
const maxRemembered = 10_000
const timeoutMs = 10_000

export interface RefusalsOptions {
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly stores: Pick<Stores, 'runs'>
  readonly callSkill: SkillCaller
  readonly clock: Clock
  readonly log: Log
}

/**
 * Lets the skill that asked tell a person why their answer has no effect. Best effort: tried once, and
 * nothing waits for it.
 */
export type SayRefused = (checkpoint: Checkpoint, answer: RefusedAnswer) => void

export function createRefusals(options: RefusalsOptions): SayRefused {
  const { clock, log } = options
  const lastAt = new Map<string, number>()

  function isTold(key: string): boolean {
    const now = clock.now()
    if (now - (lastAt.get(key) ?? -Infinity) < onceInMs) return true
    lastAt.delete(key)
    lastAt.set(key, now)
    const [oldest] = lastAt.keys()
    if (lastAt.size > maxRemembered && oldest !== undefined) lastAt.delete(oldest)
    return false
  }

  return (checkpoint, answer) => {
    const { question, reference, id, path, runUuid } = checkpoint
    const skill = options.catalogue.skill(question.via)?.skill
    if (skill?.refuse === undefined || reference === null || isTold(`${id} ${answer.by}`)) return
    refuse(options, checkpoint, answer).catch((error: unknown) =>
      log.warn(
        { run: runUuid, path, skill: question.via, reason: answer.reason, error },
        'could not notify a person that an answer has no effect',
      ),
    )
  }
}

const never = new AbortController().signal

async function refuse(
  { catalogue, stores, callSkill, clock }: RefusalsOptions,
  { id, runUuid, organizationUuid, path, question, connection, reference }: Checkpoint,
  answer: RefusedAnswer,
): Promise<void> {
  const run = await stores.runs.find([organizationUuid], runUuid)
  const input = questionInput(id, question)
  const accepted = acceptedBy((catalogue.skill(question.via)?.skill.input ?? {}) as JsonSchema)
  await runAttempt(
    (attempt) =>
      callSkill({
        purpose: 'refuse',
        skill: question.via,
        connection: connection ?? undefined,
        input,
        sensitive: () => textsIn(sensitiveParts(accepted, input)),
        asked: { output: reference, answer },
        run: {
          uuid: runUuid,
          organizationUuid,
          playbookName: run?.playbookName ?? '',
          openCase: async () => run?.caseId ?? undefined,
        },
        attempt,
      }),
    { number: 1, idempotencyKey: `${runUuid}/${path}/@refuse` },
    { timeoutMs, deadlineMs: Infinity, cancel: undefined, stop: never },
    clock,
  )
}
