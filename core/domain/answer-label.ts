import { textAt, valueAt } from '../plugin/index.ts'
import type { Question } from './checkpoint.ts'

/** What people read for an answer: its label in the input `labels` of the question, or else the answer itself. */
export const labelOf = ({ input }: Pick<Question, 'input'>, answer: string): string =>
  textAt(valueAt(input, 'labels'), answer) ?? answer
