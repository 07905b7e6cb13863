import { canonicalJson } from '../audit/canonical-json.ts'
import type { Author } from '../domain/audit.ts'
import {
  nameOfAnswerer,
  type Checkpoint,
  type CheckpointState,
  type QuestionGroup,
} from '../domain/checkpoint.ts'
import type { RefusalReason } from '../plugin/index.ts'
import { answeredQuestion, decidedQuestion, openQuestion } from './question.ts'

/** When the answers of several people decide. */
export type QuorumRule = Pick<QuestionGroup, 'people' | 'needed' | 'veto' | 'agree'>

/** `split`: no answer can be given by enough people any more. */
export type QuorumDecision =
  { readonly by: 'quorum' | 'veto'; readonly answer: unknown } | { readonly by: 'split' }

/**
 * The decision that follows from these answers, in any order; undefined: more answers are needed.
 *
 * @param out number of people who cannot answer
 */
export function decide(
  { people, needed, veto, agree }: QuorumRule,
  answers: readonly unknown[],
  out = 0,
): QuorumDecision | undefined {
  const vetoed = answers.find((answer) => veto.some((each) => each === answer))
  if (vetoed !== undefined) return { by: 'veto', answer: vetoed }
  const counts = new Map<unknown, number>()
  for (const answer of answers) {
    const counted = agree ? answer : null
    counts.set(counted, (counts.get(counted) ?? 0) + 1)
  }
  const [most = [null, 0]] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (most[1] >= needed) return { by: 'quorum', answer: most[0] }
  const left = people - out - answers.length
  return most[1] + left < needed ? { by: 'split' } : undefined
}

/**
 * The answers with which the step may still end after a person gave this answer.
 *
 * @param silence the answer after a timeout, if there is one
 */
export function resultsAfter(
  group: QuestionGroup | null,
  answers: readonly string[],
  silence: readonly unknown[],
  answer: unknown,
): readonly unknown[] {
  const isGiven = answers.some((each) => each === answer)
  if (group === null || !isGiven || group.needed === 1) return [answer]
  if (group.veto.some((each) => each === answer)) return [answer]
  const others = group.needed === group.people ? [answer, ...group.veto] : answers
  return [...new Set([...others, ...silence])]
}

type Member = Pick<Checkpoint, 'state' | 'answer' | 'reference'>

const acceptedAnswers = (members: readonly Member[]): readonly unknown[] =>
  members.flatMap(({ state, answer }) => (state === answeredQuestion && answer ? [answer.value] : []))

/** The state of the unanswered questions of a group with these answers. */
export const stateOfOthers = (group: QuestionGroup, members: readonly Member[]): CheckpointState =>
  decide(group, acceptedAnswers(members)) === undefined ? openQuestion : decidedQuestion

/**
 * Each person counts once: the same API key, the same id in the other system, or the same name. Null if the group does not refuse
 * the answer.
 */
export function refusedInGroup(
  checkpoint: Member,
  by: Author,
  others: readonly Member[],
): RefusalReason | null {
  if (checkpoint.state !== openQuestion) return null
  const name = nameOfAnswerer(checkpoint, by)?.toLowerCase()
  const isSame = others.some((other) => {
    const earlier = other.answer?.by
    if (earlier === undefined || earlier.kind !== by.kind) return false
    if (earlier.id === by.id) return true
    return name !== undefined && nameOfAnswerer(other, earlier)?.toLowerCase() === name
  })
  return isSame ? 'same_person' : null
}

/** People in lists are the same regardless of letter case and surrounding spaces, as e-mail addresses are. */
export const personKey = (person: unknown): string =>
  typeof person === 'string' ? person.trim().toLowerCase() : canonicalJson(person)
