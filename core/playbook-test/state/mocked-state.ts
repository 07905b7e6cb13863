import { checkFit } from '../../playbook/check/check-fit.ts'
import type { Playbook, StateStep } from '../../playbook/language/playbook.ts'
import { stateOutputType } from '../../playbook/steps/read-state-step.ts'
import type { Fields } from '../../playbook/template/fields.ts'
import { writtenValue } from '../../playbook/template/template.ts'
import { SkillError } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JournalStore } from '../../ports/runs/journal-store.ts'
import { storedTocsinError } from '../../engine/journal/stored-error.ts'
import type { StateOutcome } from '../../state/apply-state.ts'
import type { TestContext } from '../read/context.ts'
import { plainValue } from '../read/place.ts'
import { placedSteps } from '../read/placed-steps.ts'
import type { Mocks, MockReply, ReplyContent } from '../read/playbook-test.ts'
import { readError } from '../read/read-mock-error.ts'
import { matchingReplies, stepReplies, type Places } from '../run/mocked-skills.ts'

const codes = { unknown: 'E602', missing: 'E602', misfit: 'E602' } as const

/** Parses the mock of a step with `state`: its output or an error, such as that of a full set. */
export function readStateMock(
  context: TestContext,
  fields: Fields,
  step: StateStep,
): ReplyContent | undefined {
  const { problems } = context
  for (const name of ['delay', 'timeout', 'answer', 'example', 'event']) {
    const entry = fields.get(name)
    if (entry === undefined) continue
    problems.add('E602', `a \`state\` step has no \`${name}\``, entry.key, 'write `output` or `error`')
    return undefined
  }
  const error = fields.get('error')
  if (error) return readError(context, error.value)
  const { value } = fields.get('output')!
  const declared = playbookOf(context, step)?.state.get(step.state)
  if (declared) {
    const type = stateOutputType(step.operation, declared, step.expected !== undefined)
    checkFit(problems, writtenValue(value), type, '', codes)
  }
  return { kind: 'output', output: plainValue(value) }
}

const playbookOf = ({ playbook, called }: TestContext, wanted: StateStep): Playbook | undefined =>
  [playbook, ...called.values()].find((each) => placedSteps(each).some(({ step }) => step === wanted))

/** Answers the `state` steps that have a mock; these change nothing. */
export function withMockedState(
  store: JournalStore,
  mocks: Mocks,
  { nameOf, triesBefore }: Places,
  clock: Pick<Clock, 'now'>,
): JournalStore {
  return {
    ...store,
    async recordState(run, begin, request) {
      const mocked = 'read' in request ? undefined : stepReplies(mocks, begin.path, nameOf(begin.path))
      const replies = mocked && matchingReplies(mocked, begin.input)
      const reply = replies?.[Math.min(triesBefore(begin.path), replies.length - 1)]
      if (reply === undefined) return await store.recordState(run, begin, request)
      const end = { output: null, error: null, ...outcomeOf(reply), attempt: 1, endedAt: clock.now() }
      if ((await store.entry(run, begin.path)) === undefined) await store.record(run, begin, end)
      return (await store.entry(run, begin.path))!
    },
  }
}

function outcomeOf(reply: MockReply): StateOutcome {
  switch (reply.kind) {
    case 'output':
      return { state: 'completed', output: structuredClone(reply.output) }
    case 'error': {
      const { code, message, hint, details } = reply.error
      return { state: 'failed', error: storedTocsinError(new SkillError(code, message, { hint, details })) }
    }
    default:
      throw new Error('a state has neither answers nor events')
  }
}
