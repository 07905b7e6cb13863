import { comparedWithText, type ExpressionProblem, type Type } from '../../expression/index.ts'
import { quote } from '../language/problem.ts'
import type { Span } from '../language/source-text.ts'
import type { NameScope } from '../scope/scope.ts'

/** Names that exist only in some places. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['alert', 'it exists where `on` has `alert`'],
  ['trigger', 'it exists where `on` has `case`, `entity` or `webhook`'],
  ['item', 'it exists in the body of a foreach, unless `as` gives another name'],
  ['index', 'it exists in the body of a foreach'],
  ['error', 'it exists in the steps of on_error'],
  ['inputs', 'declare them at the top, under `inputs`'],
  ['output', 'it exists in the `until` of a `repeat`; of a group, read its steps, or declare an `output`'],
  ['state', 'declare what the playbook keeps between runs at the top, under `state`'],
])

const inData = 'read the alert as `alert`, and its content as alert.data'
const noSecrets = 'expressions cannot read secrets: skills get them from connections'

/** Names of other languages. */
const familiarNames: ReadonlyMap<string, string> = new Map([
  ...['github', 'event', 'payload', 'incident', 'data', 'body'].map((name) => [name, inData] as const),
  ...['secrets', 'env', 'credentials'].map((name) => [name, noSecrets] as const),
  ...['yes', 'on'].map((name) => [name, 'write true'] as const),
  ...['no', 'off'].map((name) => [name, 'write false'] as const),
  ['needs', 'the results of earlier steps are steps.<id>.output'],
  ['jobs', 'the results of earlier steps are steps.<id>.output'],
  ['vars', 'values of a `set` step are steps.<id>.output'],
  ['matrix', 'the item of a foreach is `item`'],
])

/** Functions of other languages that have no counterpart in expressions. */
const familiarFunctions: ReadonlyMap<string, string> = new Map([
  ['always', 'put steps that always run under `finally`'],
  ['success', 'leave it out: after a failure the next steps do not run'],
  ['failure', 'handle a failure with on_error, or check steps.<id>.ok'],
  ['cancelled', "in `finally`, write run.status == 'cancelled'"],
])

/** Fields of `trigger` that are easily taken for names. */
const ofTrigger: ReadonlySet<string> = new Set(['case', 'before', 'body', 'entity', 'count'])

const laterNames = ['state', 'steps', 'run', 'now', 'case']

/** A hint for a problem of an expression that uses knowledge about the playbook. */
export function hintInPlaybook(
  expression: string,
  problem: ExpressionProblem,
  scope: NameScope,
): string | undefined {
  const word = expression.slice(problem.start, problem.end)
  const isRead = /^\s*[.[]/.test(expression.slice(problem.end))
  switch (problem.code) {
    case 'unknown_name': {
      const [, owner] =
        /(\w+)\s*\.\s*\??\s*(?:[A-Za-z_]\w*-)+$/.exec(expression.slice(0, problem.start)) ?? []
      if (owner === 'steps' || owner === 'inputs') return 'ids and input names contain no hyphens: write _'
      if (owner !== undefined) return problem.hint
      if (scope.place.beforeItems?.includes(word) === true)
        return hintBeforeItems(expression, scope.place.beforeItems[0]!)
      if (scope.place.isBefore === true && ofTrigger.has(word) && Object.hasOwn(scope.names, 'trigger'))
        return `write trigger.${word}`
      if (scope.place.isBefore === true && [...elsewhere.keys(), ...laterNames].includes(word)) {
        return `available before a run: ${Object.keys(scope.names).join(', ')}`
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
        hintForState(expression.slice(0, problem.start), word, scope) ??
        hintForField(expression.slice(0, problem.start), word, scope) ??
        problem.hint
      )
    default:
      return problem.hint
  }
}

/** To select items, filter the list. */
function hintBeforeItems(expression: string, item: string): string {
  const condition = expression.length <= 80 ? expression : '…'
  return `\`if\` is evaluated once, before the loop: filter the list, as in list.filter(${item}, ${condition}), or put the condition on a step under \`steps\``
}

const alertFields: Readonly<Record<string, string>> = {
  alert_type: 'type',
  alert_provider: 'provider',
  alert_content: 'content',
  raw: 'content',
  body: 'content',
}

/** Statuses of steps and runs in other systems. */
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

function hintForField(before: string, field: string, scope: NameScope): string | undefined {
  if (/\balert\s*\.\s*\??$/.test(before)) {
    if (Object.hasOwn(alertFields, field)) return `did you mean ${alertFields[field]}?`
    // Short names are all similar to each other.
    const isMistyped =
      field.length > 2 && fieldsOf(scope.names['alert']).some((known) => isNear(field, known))
    return isMistyped ? undefined : `the content of the alert is in alert.data: alert.data.${field}`
  }
  const id = /\bsteps\.([a-z]\w*)\s*\.\s*$/.exec(before)?.[1]
  if (id === undefined || field === 'outputs') return undefined
  if (field === 'output') return 'only a group that declares an `output` has one'
  if (['result', 'results', 'response', 'data', 'value', 'body'].includes(field))
    return 'did you mean output?'
  return fieldsOf(outputOf(scope, id)).includes(field) ? `did you mean output.${field}?` : undefined
}

/** Entries are read with a step. */
function hintForState(before: string, field: string, { place }: NameScope): string | undefined {
  const name = field.replaceAll(/^\W+|\W+$/g, '')
  const kind = /\bstate\b[\s.?[]*['"]?$/.test(before) ? place.states?.get(name)?.kind : undefined
  return kind && `read an entry of a ${kind} with a step: state: { get: ${name}, key: … }`
}

/** Whether the words differ by one letter. */
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

function outputOf(scope: NameScope, id: string): Type | undefined {
  const steps = scope.names['steps']
  const step = steps?.kind === 'object' ? steps.properties.get(id)?.type : undefined
  return step?.kind === 'object' ? step.properties.get('output')?.type : undefined
}

const fieldsOf = (type: Type | undefined): readonly string[] =>
  type?.kind === 'object' ? [...type.properties.keys()] : []

/** An id or key with hyphens, which expressions parse as a subtraction. */
const hyphenated = /\.[A-Za-z_]\w*(?:-[A-Za-z_]\w*)+/g

/**
 * Filters problems: one per place, only the first syntax error, since later ones are consequences, and one
 * per id with hyphens.
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
    // The optional field is the cause; the comparison with null is a consequence.
    if (isMissing && problem.code === 'wrong_type') return false
    // Consequences of a wrong operator.
    if (
      firstSyntax &&
      problem.code === 'unknown_name' &&
      problem.start >= firstSyntax.end &&
      expression.slice(firstSyntax.end, problem.start).trim() === ''
    )
      return false
    // Types around a syntax error are unknown.
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

/** The whole hyphenated id of which the expression parsed the first part. */
export const hyphenatedId = (expression: string, start: number): string | undefined =>
  hyphenatedAfter('steps', expression, start)

function hyphenatedAfter(root: string, expression: string, start: number): string | undefined {
  if (!expression.slice(0, start).endsWith(`${root}.`)) return undefined
  return /^[A-Za-z_]\w*(?:-[A-Za-z_]\w*)+/.exec(expression.slice(start))?.[0]
}

function hintForHyphens(expression: string, start: number): string | undefined {
  const name = hyphenatedAfter('inputs', expression, start)
  return name && `input names contain no hyphens: write inputs.${name.replaceAll('-', '_')}`
}

/** Why a step cannot be read at the current place, and a hint. */
export function whyInvisible(
  id: string,
  step: { readonly span: Span; readonly insideForeach: boolean },
  current: Span | undefined,
): readonly [message: string, hint: string] {
  const { span } = step
  if (current && span.start === current.start) {
    return [`step ${quote(id)} cannot see itself`, 'its result exists after it has ended']
  }
  if (current && span.start <= current.start && span.end >= current.end) {
    return [`step ${quote(id)} has not ended: this step is inside it`, 'refer to a step before it']
  }
  if (current && span.start > current.start)
    return [`step ${quote(id)} runs later`, 'move it before this step']
  if (step.insideForeach) {
    return [
      `step ${quote(id)} runs once for each item of its foreach`,
      'give the step with the foreach an `output` that reads it, and read that',
    ]
  }
  if (current === undefined)
    return [`step ${quote(id)} has not run here`, 'read only steps that have finished']
  return [
    `step ${quote(id)} runs at the same time, or only in another branch`,
    'read it after the branches have ended',
  ]
}
