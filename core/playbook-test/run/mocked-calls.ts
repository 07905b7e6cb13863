import type { Interrupted, SkillCaller, Skills } from '../../engine/skills/skill-caller.ts'
import { NotFoundError } from '../../errors/errors.ts'
import { defaultRetry } from '../../playbook/language/grammar.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import type { CallStep, Playbook, Step, UsesStep } from '../../playbook/language/playbook.ts'
import type { CalledByName, Mocks } from '../read/playbook-test.ts'

/** No skill has such a name: it stands for a playbook that a mock answers for. */
const mark = 'call:'
const isMockedCall = (skill: string): boolean => skill.startsWith(mark)

/** The playbook with the calls that have a mock of their own answered by it, as a skill is. */
export function withMockedCalls(playbook: Playbook, mocks: Mocks): Playbook {
  const change = (step: Step): Step =>
    step.action === 'call' && step.id !== null && mocks.has(`steps.${step.id}`) ? asSkill(step) : step
  const all = (steps: readonly Step[]): readonly Step[] => steps.map((step) => withInner(change(step), all))
  const { steps, onError, finally: last } = playbook
  return { ...playbook, steps: all(steps), onError: all(onError), finally: all(last) }
}

function withInner(step: Step, all: (steps: readonly Step[]) => readonly Step[]): Step {
  const onError = typeof step.onError === 'string' ? step.onError : all(step.onError)
  switch (step.action) {
    case 'steps':
    case 'parallel':
      return { ...step, onError, steps: all(step.steps) }
    case 'switch': {
      const cases = step.cases.map((each) => ({ ...each, steps: all(each.steps) }))
      return { ...step, onError, cases, else: all(step.else) }
    }
    default:
      return { ...step, onError }
  }
}

function asSkill({ playbook, with: given, timeoutMs, ...common }: CallStep): UsesStep {
  return {
    ...common,
    action: 'uses',
    skill: mark + playbook,
    with: given,
    connection: undefined,
    // As long as the run itself may take: only the step's own timeout is shorter.
    timeoutMs: timeoutMs ?? 366 * 86_400_000,
    retry: { ...defaultRetry, max: 0 },
  }
}

/** Skills of a run whose calls may be mocked: given what the called playbook takes, answered by `mocked`. */
export function withCallsAnswered(skills: Skills, called: CalledByName, mocked: SkillCaller): Skills {
  return {
    ...skills,
    interrupted: (skill): Interrupted => (isMockedCall(skill) ? 'repeat' : skills.interrupted(skill)),
    call: async (call) => {
      if (!isMockedCall(call.skill)) return await skills.call(call)
      const name = call.skill.slice(mark.length)
      const callee = called.get(name)
      if (callee === undefined)
        throw new NotFoundError('playbook_not_found', `there is no playbook '${name}' to call`)
      const input = resolveInputs(callee, call.input as Readonly<Record<string, unknown>>)
      return await mocked({ ...call, input })
    },
  }
}
