import { SkillError } from '../../../core/plugin/index.ts'

/** Gives back what it was given. */
export const echo = (input: unknown) => input

/** The other system says no. */
export const no = () => {
  throw new SkillError('said_no', 'no', { hint: 'ask somebody else' })
}
