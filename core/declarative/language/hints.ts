import type { ExpressionProblem } from '../../expression/index.ts'
import type { NameScope } from '../../playbook/scope/scope.ts'

const asSecret = 'declare it under connection.fields with secret: true, and read settings.<name>'

/** Names from other tools. */
const familiarNames: ReadonlyMap<string, string> = new Map([
  ['inputs', 'did you mean input?'],
  ['parameters', 'did you mean input?'],
  ['params', 'did you mean input?'],
  ['config', 'did you mean settings?'],
  ['connection', 'did you mean settings?'],
  ['credentials', asSecret],
  ['secrets', asSecret],
  ['env', asSecret],
  ['body', 'did you mean response.body?'],
  ['status', 'did you mean response.status?'],
  ['headers', 'did you mean response.headers?'],
  ['answer', 'did you mean response?'],
  ['result', 'did you mean response.body?'],
  ['json', 'did you mean response.body?'],
  ['payload', 'did you mean response.body?'],
  ['data', 'did you mean response.body.data?'],
  ['alert', 'a skill knows only its inputs: declare one, and give it the value in the playbook'],
  ['steps', 'a skill knows only its inputs: declare one, and give it the value in the playbook'],
  ['item', 'it exists under `item` and in the `id` of paging'],
  ['idempotency_key', 'only skills with effect: write have it'],
  ['items', 'it exists in the output of a skill with paging'],
])

/** The hint for a problem of an expression in a plugin. */
export function hintInPlugin(
  expression: string,
  problem: ExpressionProblem,
  scope: NameScope,
): string | undefined {
  const isNear = problem.hint?.startsWith('did you mean') === true
  if (isNear) return problem.hint
  const word = expression.slice(problem.start, problem.end)
  if (problem.code === 'unknown_field') {
    if (word === 'xml') return 'declare xml: {} under connection'
    const [, root] = /(?:^|[^\w.])(settings|input)\s*\.\s*\??$/.exec(expression.slice(0, problem.start)) ?? []
    if (root === 'settings') return `declare it under connection.fields: ${word}: { title: …, secret: true }`
    return root === 'input' ? `declare it under input: ${word}: { type: string }` : problem.hint
  }
  if (problem.code !== 'unknown_name') return problem.hint
  const before = scope.names['before']
  if (before?.kind === 'object' && before.properties.has(word)) return `did you mean before.${word}?`
  return familiarNames.get(word) ?? `possible here: ${Object.keys(scope.names).join(', ')}`
}
