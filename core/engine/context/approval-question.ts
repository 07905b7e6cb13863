import { approvalsText, approversText, expiresAfterMs, termsOf } from '../../destructive/approval-rules.ts'
import { actionsText, heldText } from '../../destructive/policy.ts'
import type { ApprovalTerms, HeldUses } from '../../domain/destructive-use.ts'
import type { Question } from '../../domain/checkpoint.ts'
import { viaOperator } from '../../playbook/language/constants.ts'
import type { DestructiveClass } from '../../plugin/index.ts'
import type { SkillText } from '../../destructive/skill-text.ts'
import { approvingAnswers } from '../../transitions/question.ts'

/** A week, if no deadline is earlier. */
const longestWaitMs = 7 * 86_400_000

/** Most characters of inputs shown in one question. */
const maxShown = 256_000

/** The uses to approve. */
export interface AskedUses {
  readonly path: string
  readonly skill: string
  readonly class: DestructiveClass
  readonly text?: SkillText | undefined
  /** Without sensitive values. */
  readonly inputs: readonly unknown[]
  readonly inputHash: string
  readonly connection: string | null
  /** Why they wait; or the earlier approval, which does not hold because the input or the connection changed. */
  readonly why: HeldUses | { readonly earlier: ApprovalTerms }
}

/** The question, and how long it waits at most. */
export function approvalQuestion(
  asked: AskedUses,
  now: number,
): { readonly question: Question; readonly withinMs: number } {
  const { why, inputHash, connection } = asked
  const bound = { inputHash, connection }
  const withinMs = 'earlier' in why ? why.earlier.expiresMs : (expiresAfterMs(why) ?? longestWaitMs)
  const approval =
    'earlier' in why ? { ...why.earlier, ...bound } : { ...termsOf(why, bound, now), expiresMs: withinMs }
  const rest = isRestOffered(asked)
  return {
    question: {
      via: viaOperator,
      input: questionInput(asked, approval),
      answers: [approvingAnswers.once, ...(rest ? [approvingAnswers.rest] : []), 'refuse'],
      form: null,
      approval,
    },
    withinMs,
  }
}

/** An approval under a rule is for exactly one input. */
const isRestOffered = ({ path, why }: Pick<AskedUses, 'path' | 'why'>): boolean =>
  isInLoop(path) && ('earlier' in why ? why.earlier.rule : why.rule) === null

/** Whether the same use can occur again: inside an item of `foreach` or an iteration of `repeat`. */
const isInLoop = (path: string): boolean => /(\[\d+\]|#\d+)(\/|$)/.test(path)

/** A single use shows its input, several show a list. */
function questionInput(asked: AskedUses, approval: ApprovalTerms) {
  const { skill, class: kind, inputs } = asked
  const rest = isRestOffered(asked)
  const count = inputs.length
  const shown = upTo(maxShown, inputs)
  const [which, below] =
    count === 1
      ? [`this use of ${skill}`, 'the input below']
      : [`these ${actionsText(count, kind)} of ${skill}`, shownText(shown.length, count)]
  const sentences = [whyText(asked, approval), ...plainWords(asked), `Approve ${which}, with ${below}?`]
  return {
    message: `${sentences.join(' ')}${rest ? restText(skill) : ''}`,
    skill,
    class: kind,
    count,
    ...(count === 1 ? { input: inputs[0] ?? null } : { inputs: shown }),
    labels: {
      approve: count === 1 ? 'Approve this use' : `Approve all ${count}`,
      ...(rest && { approve_rest: `Approve every further use of ${skill} in this run` }),
      refuse: count === 1 ? 'Refuse it' : `Refuse all ${count}`,
    },
    styles: { approve: 'danger', ...(rest && { approve_rest: 'danger' }) },
  }
}

function whyText({ why }: AskedUses, approval: ApprovalTerms): string {
  if ('earlier' in why)
    return `The input or the connection has changed since the approval, which no longer holds. It needs ${approvalsText(approval.needed)} again.`
  const text = `${capital(heldText(why))}.`
  return why.rule === null ? text : `${text} ${capital(approversText(why.rule.by))} may approve.`
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** What happens, over which connection, and what undoes it. */
function plainWords({ text, connection, skill }: AskedUses): readonly string[] {
  if (text === undefined) return []
  const over = connection === null ? '' : ` over the connection ${connection}`
  return [
    `${text.title} (${skill})${over}.`,
    ...[text.undo, text.lasts].flatMap((part) => (part === undefined ? [] : [`${part}.`])),
  ]
}

const restText = (skill: string): string =>
  ` The step is in a loop: you can also approve this and every further use of ${skill} in this run, whatever its input.`

const shownText = (shown: number, count: number): string =>
  shown === count ? 'the inputs below' : `the inputs below (the first ${shown} of ${count})`

/** The first inputs that fit. */
function upTo(characters: number, inputs: readonly unknown[]): readonly unknown[] {
  let left = characters
  const end = inputs.findIndex((input) => (left -= JSON.stringify(input ?? null).length) < 0)
  return end === -1 ? inputs : inputs.slice(0, end)
}
