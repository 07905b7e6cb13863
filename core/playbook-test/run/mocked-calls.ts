import type { Interrupted, SkillCaller, Skills } from '../../engine/skills/skill-caller.ts'
import { NotFoundError } from '../../errors/errors.ts'
import { defaultRetry } from '../../playbook/language/constants.ts'
import { resolveInputs } from '../../playbook/template/inputs.ts'
import type { CallStep, Playbook, Step, UsesStep } from '../../playbook/language/playbook.ts'
import type { CalledByName, Mocks } from '../read/playbook-test.ts'

/** Prefix for mocked playbooks; no skill has such a name. */
const mark = 'call:'
const isMockedCall = (skill: string): boolean => skill.startsWith(mark)

/** Replaces calls that have a mock by skill calls that the mock answers. */
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
    // As long as a run may take, so that only the step's own timeout applies.
    timeoutMs: timeoutMs ?? 366 * 86_400_000,
    retry: { ...defaultRetry, max: 0 },
  }
}

/** Skills that include the mocked calls, with the inputs of the called playbook and answered by `mocked`. */
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
