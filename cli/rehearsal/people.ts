import { assumedOutput } from '../../core/dry-run/assumed-output.ts'
import { personOf } from '../../core/domain/audit.ts'
import type { Checkpoint } from '../../core/domain/checkpoint.ts'
import { createWakeUps } from '../../core/engine/journal/wake-ups.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { ValidationError } from '../../core/errors/errors.ts'
import { isEventWait } from '../../core/dry-run/choices.ts'
import { createMockedEvents } from '../../core/playbook-test/waits/mocked-events.ts'
import { createMemoryCheckpoints } from '../../core/playbook-test/run/memory-checkpoints.ts'
import { namedSteps, stepFinder, type NamedStep } from '../../core/playbook-test/read/named-steps.ts'
import type { CalledByName } from '../../core/playbook-test/read/playbook-test.ts'
import {
  answerOfPerson,
  choiceFor,
  type AnswerChoice,
} from '../../core/playbook-test/run/checkpoint-answers.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { systemClock } from '../../server/clock.ts'
import { canAskHere, openTerminal, type Terminal } from './ask-here.ts'

/** The responder of questions: the person at the terminal, or `--answer`. */
const analyst = personOf('analyst')

/** Longest delay of a timer in Node. */
const longestMs = 2 ** 31 - 1

export interface PeopleOptions {
  readonly playbook: Playbook
  readonly called: CalledByName
  readonly organizationUuid: string
  readonly organizationCode: string
  /** The answers of `--answer`, by name of the step. */
  readonly choices: ReadonlyMap<string, AnswerChoice>
  readonly catalogue: Catalogue
  readonly cancel: AbortSignal
}

/**
 * Answers the questions of a run: from `--answer` first, else from the person at the terminal. Sends no
 * messages, because only a server can receive answers from other systems.
 *
 * @throws ValidationError `nobody_to_ask` if the playbook may ask a question without `--answer` and without a
 * terminal
 */
export function peopleHere(options: PeopleOptions) {
  const { playbook, called, choices, cancel } = options
  const steps = namedSteps(playbook, called)
  const stepAt = stepFinder(steps)
  const over = new AbortController()
  const wakeUps = createWakeUps()
  refuseWithoutEvents(steps, choices)
  if (!canAskHere()) refuseUnanswered(steps, choices)

  let terminal: Terminal | undefined
  // Asks one question at a time, even if several are open.
  let before: Promise<unknown> = Promise.resolve()
  const checkpoints = createMemoryCheckpoints(systemClock, options.organizationUuid, (checkpoint) => {
    const { path } = checkpoint
    const choice = choiceFor(choices, checkpoint, stepAt(path)?.name ?? path)
    if (choice !== undefined) void answer(checkpoint, choice)
    else before = before.then(() => ask(checkpoint))
  })

  async function ask(checkpoint: Checkpoint): Promise<void> {
    const leftMs = Math.min(checkpoint.timeoutAt - systemClock.now(), longestMs)
    if (leftMs <= 0) return
    const signal = AbortSignal.any([over.signal, cancel, AbortSignal.timeout(leftMs)])
    terminal ??= openTerminal()
    const choice = signal.aborted ? undefined : await terminal.ask(checkpoint, signal)
    // The input has ended, so no answer can arrive.
    if (choice !== undefined) await answer(checkpoint, choice)
    else if (!signal.aborted) await answer(checkpoint, 'timeout')
  }

  async function answer(checkpoint: Checkpoint, choice: AnswerChoice): Promise<void> {
    const { id, path, group } = checkpoint
    const given = answerOfPerson(choice, checkpoint)
    // People differ, and each counts once.
    const by = group === null ? analyst : personOf(`${analyst.id} ${group.place + 1}`)
    if (given === 'timeout') checkpoints.expire(path)
    else await checkpoints.store.answer(id, { value: given.answer, text: null }, by)
    wakeUps.wake()
  }

  const close = (): void => {
    over.abort()
    terminal?.close()
  }

  /** Replaces the skill that would send the question, and sends nothing. */
  const withoutAsking =
    (call: SkillCaller): SkillCaller =>
    async (asked) => {
      const path = asked.attempt.idempotencyKey.slice(asked.run.uuid.length + 1)
      const skill = options.catalogue.skill(asked.skill)?.skill
      const isQuestion = stepAt(path)?.step.action === 'checkpoint'
      return isQuestion && skill ? assumedOutput(skill, asked.input).output : await call(asked)
    }
  const events = createMockedEvents({
    mocks: new Map(),
    organizationCode: options.organizationCode,
    clock: systemClock,
    wakeUps,
    stepAt,
    choose: (path, name) => choices.get(path) ?? choices.get(name),
    onUnanswered: () => {},
  })
  return { checkpoints: checkpoints.store, events: events.store, wakeUps, withoutAsking, close }
}

/** Only a server receives events. */
function refuseWithoutEvents(steps: readonly NamedStep[], choices: ReadonlyMap<string, AnswerChoice>): void {
  const open = steps.filter(({ step, name }) => isEventWait(step) && !choices.has(name))
  const [first] = open
  if (first === undefined) return
  throw new ValidationError(
    'no_events',
    `the playbook waits for events at ${open.map(({ name }) => `'${name}'`).join(', ')}, which only a server receives`,
    [],
    { hint: `add --answer ${first.name}='{ … }' with the data of the event (or timeout)` },
  )
}

function refuseUnanswered(steps: readonly NamedStep[], choices: ReadonlyMap<string, AnswerChoice>): void {
  const open = steps.flatMap(({ step, name }) =>
    step.action === 'checkpoint' && !choices.has(name) ? [{ name, step }] : [],
  )
  const [first] = open
  if (first === undefined) return
  const names = open.map(({ name }) => `'${name}'`).join(', ')
  const words = 'answers' in first.step.choices ? first.step.choices.answers[0] : "'{ … }'"
  throw new ValidationError(
    'nobody_to_ask',
    `the playbook asks people at ${names}, but there is no terminal to answer`,
    [],
    {
      hint: `add --answer ${first.name}=${words} (or timeout), or run it in a terminal`,
    },
  )
}
