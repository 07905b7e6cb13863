import { comparedWithText, type ExpressionProblem, type Type } from '../../expression/index.ts'
import { familiarFunctions, familiarNames } from './familiar-words.ts'
import type { Scope } from '../scope/scope.ts'

/** Names that exist, only not everywhere. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['alert', 'it exists where `on` has `alert`'],
  ['item', 'it exists in the body of a foreach, unless `as` gives another name'],
  ['index', 'it exists in the body of a foreach'],
  ['error', 'it exists in the steps of on_error'],
  ['inputs', 'declare them at the top, under `inputs`'],
  [
    'output',
    'it exists in the `until` of a `repeat` of one skill; of a group, read its steps: steps.<id>.output',
  ],
])

const laterNames = ['steps', 'run', 'now', 'case']

/** What was probably meant in an expression, where the playbook around it tells more than the expression alone. */
export function hintInPlaybook(
  expression: string,
  problem: ExpressionProblem,
  scope: Scope,
): string | undefined {
  const word = expression.slice(problem.start, problem.end)
  const isRead = /^\s*[.[]/.test(expression.slice(problem.end))
  switch (problem.code) {
    case 'unknown_name': {
      const [, owner] =
        /(\w+)\s*\.\s*\??\s*(?:[A-Za-z_]\w*-)+$/.exec(expression.slice(0, problem.start)) ?? []
      if (owner === 'steps' || owner === 'inputs') return 'ids and names of inputs have no hyphens: write _'
      if (owner !== undefined) return problem.hint
      if (scope.place.beforeItems?.includes(word) === true)
        return hintBeforeItems(expression, scope.place.beforeItems[0]!)
      if (scope.place.isBefore === true && [...elsewhere.keys(), ...laterNames].includes(word)) {
        return `before a run there is only: ${Object.keys(scope.names).join(', ')}`
      }
      const isText = problem.hint?.startsWith(comparedWithText) === true
      if (isText && !elsewhere.has(word) && !scope.has(word)) return problem.hint
      const known =
        elsewhere.get(word) ?? (scope.has(word) ? `did you mean steps.${word}?` : familiarNames.get(word))
      if (known !== undefined || !isRead || problem.hint?.startsWith('did you mean') === true)
        return known ?? problem.hint
      return `possible here: ${Object.keys(scope.names).join(', ')}`
    }
    case 'unknown_function':
      return familiarFunctions.get(word) ?? problem.hint
    case 'not_in_enum':
      return problem.hint ?? hintForStatus(expression, word)
    case 'unknown_field':
      return (
        hintForHyphens(expression, problem.start) ??
        hintForField(expression.slice(0, problem.start), word, scope) ??
        problem.hint
      )
    default:
      return problem.hint
  }
}

/** What chooses among items is a filter. */
function hintBeforeItems(expression: string, item: string): string {
  const condition = expression.length <= 80 ? expression : '…'
  return `\`if\` is decided once, before the loop: filter the list, as in list.filter(${item}, ${condition}), or put the condition on a step under \`steps\``
}

const alertFields: Readonly<Record<string, string>> = {
  alert_type: 'type',
  alert_provider: 'provider',
  alert_content: 'content',
  raw: 'content',
  body: 'content',
}

/** What other systems call the ends of a step and of a run. */
const statuses: ReadonlyMap<string, string> = new Map([
  ...['success', 'succeeded', 'successful', 'ok', 'done', 'finished'].map(
    (word) => [word, 'completed'] as const,
  ),
  ...['failure', 'error', 'errored', 'timeout'].map((word) => [word, 'failed'] as const),
])

function hintForStatus(expression: string, literal: string): string | undefined {
  const meant = /\.status\b/.test(expression) ? statuses.get(literal.replace(/^['"]|['"]$/g, '')) : undefined
  return meant && `did you mean '${meant}'?`
}

function hintForField(before: string, field: string, scope: Scope): string | undefined {
  if (/\balert\s*\.\s*\??$/.test(before)) {
    if (Object.hasOwn(alertFields, field)) return `did you mean ${alertFields[field]}?`
    // A short name is near to every other short name.
    const isMistyped =
      field.length > 2 && fieldsOf(scope.names['alert']).some((known) => isNear(field, known))
    return isMistyped ? undefined : `what the sender put into the alert is in alert.data: alert.data.${field}`
  }
  const id = /\bsteps\.([a-z]\w*)\s*\.\s*$/.exec(before)?.[1]
  if (id === undefined || field === 'outputs') return undefined
  if (['result', 'results', 'response', 'data', 'value', 'body'].includes(field))
    return 'did you mean output?'
  return fieldsOf(outputOf(scope, id)).includes(field) ? `did you mean output.${field}?` : undefined
}

/** One letter too many, too few, or wrong. */
function isNear(word: string, known: string): boolean {
  let same = 0
  while (same < word.length && word[same] === known[same]) same++
  const [a, b] = [word.slice(same), known.slice(same)]
  return (
    a.slice(1) === b ||
    a === b.slice(1) ||
    a.slice(1) === b.slice(1) ||
    (a.slice(2) === b.slice(2) && a[0] === b[1])
  )
}

function outputOf(scope: Scope, id: string): Type | undefined {
  const steps = scope.names['steps']
  const step = steps?.kind === 'object' ? steps.properties.get(id)?.type : undefined
  return step?.kind === 'object' ? step.properties.get('output')?.type : undefined
}

const fieldsOf = (type: Type | undefined): readonly string[] =>
  type?.kind === 'object' ? [...type.properties.keys()] : []

/** An id or a key with hyphens, which expressions take for subtractions. */
const hyphenated = /\.[A-Za-z_]\w*(?:-[A-Za-z_]\w*)+/g

/**
 * What is worth saying: one thing at a place; of the syntax only the first, since what follows is a guess; and of an id with
 * hyphens that it is one.
 */
export function worthSaying(
  expression: string,
  problems: readonly ExpressionProblem[],
): readonly ExpressionProblem[] {
  const firstSyntax = problems.find(({ code }) => code === 'syntax')
  const places = new Set<string>()
  const ids = [...expression.matchAll(hyphenated)].map(({ index, 0: text }) => ({
    start: index,
    end: index + text.length,
  }))
  return problems.filter((problem) => {
    const id = ids.find(({ start, end }) => problem.start >= start && problem.end <= end)
    const place = id ? `id ${id.start}` : `${problem.start} ${problem.end}`
    const isMissing = problems.some(({ code, start }) => code === 'optional_field' && start === problem.start)
    // What may be missing is asked for with has(): that null is the wrong question follows from it.
    if (isMissing && problem.code === 'wrong_type') return false
    // Nor what follows a sign that was meant otherwise.
    if (
      firstSyntax &&
      problem.code === 'unknown_name' &&
      problem.start >= firstSyntax.end &&
      expression.slice(firstSyntax.end, problem.start).trim() === ''
    )
      return false
    // What could not be read to its end is not known.
    if (
      firstSyntax &&
      problem !== firstSyntax &&
      problem.start <= firstSyntax.start &&
      problem.end >= firstSyntax.start
    )
      return false
    if (places.has(place) || (problem.code === 'syntax' && problem !== firstSyntax)) return false
    places.add(place)
    return true
  })
}

/** The whole id, with its hyphens, of which an expression read the first part. */
export const hyphenatedId = (expression: string, start: number): string | undefined =>
  hyphenatedAfter('steps', expression, start)

function hyphenatedAfter(root: string, expression: string, start: number): string | undefined {
  if (!expression.slice(0, start).endsWith(`${root}.`)) return undefined
  return /^[A-Za-z_]\w*(?:-[A-Za-z_]\w*)+/.exec(expression.slice(start))?.[0]
}

function hintForHyphens(expression: string, start: number): string | undefined {
  const name = hyphenatedAfter('inputs', expression, start)
  return name && `names of inputs have no hyphens: inputs.${name.replaceAll('-', '_')}`
}
