import { covers, maskAt } from '../../domain/mask.ts'
import { dyn, object, sensitive, type Property, type Type } from '../../expression/index.ts'
import type { ActionResult } from './read-actions.ts'
import type { CallablePlaybooks } from '../scope/callable-playbooks.ts'
import { checkFit, checkLiteral } from '../check/check-fit.ts'
import { checkSensitiveInputs } from '../check/check-sensitive.ts'
import type { Context } from '../scope/context.ts'
import { suggest, suggestNearest } from '../language/did-you-mean.ts'
import type { Entry } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { describe, readWord, type Fields } from '../template/fields.ts'
import { namePattern } from '../language/grammar.ts'
import { maskOfSchema, maskOfType } from '../check/mask-of-type.ts'
import type { CallStep, Inputs, Playbook } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { inputCodes, noInputs } from './read-uses.ts'
import type { Scope } from '../scope/scope.ts'
import type { Span } from '../language/source-text.ts'
import { jsonType } from '../template/type-forms.ts'
import type { Sliced } from '../../common/sliced.ts'

/** `call` with `with`: inputs as the called playbook declares them, output as its `outputs` are. */
export function* readCall(
  context: Context,
  entry: Entry,
  fields: Fields,
  scope: Scope,
): Sliced<ActionResult<Pick<CallStep, 'action' | 'playbook' | 'with'>>> {
  const { problems } = context
  const name = readWord(
    problems,
    entry,
    namePattern,
    'lower-case letters and digits, in words joined by hyphens',
  )
  const given = fields.get('with')
  if (given && given.value.kind !== 'map') {
    problems.add('E106', `\`with\` must be a map of inputs, not ${describe(given.value)}`, given.value)
    return { part: undefined, output: dyn }
  }
  const inputs = yield* compileValue(context, scope, given?.value ?? noInputs)
  if (name === undefined) return { part: undefined, output: dyn }
  context.calls.add(name)
  const callee = yield* findCallee(context, name, entry)
  const part = { action: 'call' as const, playbook: name, with: inputs.template }
  if (callee === undefined) return { part, given: maskOfType(inputs.type), output: dyn }
  checkFit(problems, inputs, typeOfInputs(callee.inputs), '', inputCodes, entry.value)
  for (const { name: input, value } of inputs.entries ?? []) {
    const schema = callee.inputs.get(input)?.schema
    if (schema && !problems.hasErrorIn(value)) checkLiteral(problems, value, schema, input, 'E307')
  }
  const accepted = maskOfType(typeOfInputs(callee.inputs, 'resolved'))
  checkSensitiveInputs(problems, inputs, accepted, name)
  checkSensitiveAlert(context, callee, scope, entry.value)
  // Of its times only the text arrives.
  return { part, given: maskOfType(inputs.type), output: jsonType(callee.outputType) }
}

/** The called playbook sees the alert too. */
function checkSensitiveAlert(
  { problems }: Context,
  { name, alertTrigger, alertSchema }: Playbook,
  { names }: Scope,
  span: Span,
): void {
  const alert = names['alert'] && maskAt(maskOfType(names['alert']), 'data')
  if (!alertTrigger || covers(alertSchema && maskOfSchema(alertSchema), alert)) return
  const message = `the playbook ${quote(name)} sees the alert, and does not mark all that is sensitive in it`
  problems.add('E315', message, span, 'mark the same fields under its `alert`')
}

/** Undefined where nothing is known of it: it has been reported, or the playbooks are not known at all. */
function* findCallee(context: Context, name: string, { value }: Entry): Sliced<Playbook | undefined> {
  const { problems, playbooks, callers } = context
  if (callers.includes(name)) {
    const circle = [...callers.slice(callers.indexOf(name)), name].join(' → ')
    problems.add(
      'E318',
      `the playbook would call itself: ${circle}`,
      value,
      'no playbook may lead back to itself',
    )
    return undefined
  }
  if (playbooks === undefined) return undefined
  const parsed = yield* playbooks.findInSlices(name, callers)
  if (parsed === undefined) {
    problems.add('E316', `there is no playbook ${quote(name)}`, value, () => hintFor(name, playbooks))
    return undefined
  }
  const { playbook } = parsed
  if (playbook === undefined) {
    const found = parsed.problems.find(({ severity }) => severity === 'error')
    if (found?.code === 'E318') problems.add('E318', `through ${quote(name)}: ${found.message}`, value)
    else {
      const where = found ? `line ${found.line}: ${found.message}` : undefined
      problems.add('E317', `the playbook ${quote(name)} has mistakes of its own`, value, where)
    }
    return undefined
  }
  if (!playbook.startedBy.call) {
    problems.add(
      'E317',
      `the playbook ${quote(name)} is not made to be called`,
      value,
      'add call: true to its `on`',
    )
  } else if (playbook.alertTrigger && !context.hasAlert) {
    problems.add('E317', `the playbook ${quote(name)} works on an alert, and there is none here`, value)
  }
  return playbook
}

function hintFor(name: string, { names, expectedAt }: CallablePlaybooks): string | undefined {
  const place = expectedAt(name)
  if (place === undefined) return suggest(name, names)
  return suggestNearest(name, names) ?? `it is expected in ${place}`
}

/** `inputs` as expressions see them; or, with `optional`, as whoever gives them does. */
export function typeOfInputs(inputs: Inputs, seen: 'given' | 'resolved' = 'given'): Type {
  const properties = Array.from(inputs, ([name, input]): [string, Property] => [
    name,
    {
      type: input.sensitive ? sensitive(input.type) : input.type,
      optional: seen === 'given' && input.default !== undefined,
    },
  ])
  return object(Object.fromEntries(properties))
}
