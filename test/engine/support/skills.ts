import { SkillError } from '../../../core/plugin/index.ts'

/** Returns its input. */
export const echo = (input: unknown) => input

/** The other system refuses. */
export const no = () => {
  throw new SkillError('said_no', 'no', { hint: 'ask somebody else' })
}
