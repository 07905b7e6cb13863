import type { SkillCaller } from '../../engine/skills/skill-caller.ts'
import { TimeoutError } from '../../errors/errors.ts'

/**
 * Ends a call that takes too long in real time, because the virtual clock stops during the call and would
 * never end it.
 */
export function withRealTimeout(call: SkillCaller, timeoutMs: number): SkillCaller {
  return async (asked) => {
    const late = new AbortController()
    const timer = setTimeout(() => {
      late.abort(new TimeoutError('step_timeout', `no answer within ${timeoutMs / 1000} s`))
    }, timeoutMs)
    const signal = AbortSignal.any([asked.attempt.signal, late.signal])
    try {
      return await call({ ...asked, attempt: { ...asked.attempt, signal } })
    } finally {
      clearTimeout(timer)
    }
  }
}
