import { covers, maskAt } from '../../domain/mask.ts'
import { dyn, object, sensitive, type Property, type Type } from '../../expression/index.ts'
import type { ActionResult } from './read-actions.ts'
import { checkFit, checkLiteral } from '../check/check-fit.ts'
import { checkSensitiveInputs } from '../check/check-sensitive.ts'
import type { CallablePlaybooks, ReadContext } from '../scope/context.ts'
import { suggest, suggestNearest } from '../language/did-you-mean.ts'
import type { Entry } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { describe, readWord, type Fields } from '../template/fields.ts'
import { namePattern, nameRule } from '../language/constants.ts'
import { mayCall, ownerText } from '../check/owner.ts'
import { maskOfType } from '../check/mask-of-type.ts'
import type { CallStep, Inputs, Playbook } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import { inputCodes, noInputs } from './read-uses.ts'
import type { NameScope } from '../scope/scope.ts'
import type { Span } from '../language/source-text.ts'
import { jsonType } from '../template/type-forms.ts'
import type { Sliced } from '../../common/sliced.ts'

/** Reads `call` and `with`; the called playbook declares the inputs and the output. */
export function* readCall(
  context: ReadContext,
  entry: Entry,
  fields: Fields,
  scope: NameScope,
): Sliced<ActionResult<Pick<CallStep, 'action' | 'playbook' | 'with'>>> {
  const { problems } = context
  const name = readWord(problems, entry, namePattern, nameRule)
  const given = fields.get('with')
  if (given && given.value.kind !== 'map') {
    problems.add('E106', `expected a map of inputs for \`with\`, found ${describe(given.value)}`, given.value)
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
  const accepted = callee.masks.inputs
  checkSensitiveInputs(problems, inputs, accepted, name)
  checkSensitiveAlert(context, callee, scope, entry.value)
  // Times of its output arrive as strings.
  return { part, given: maskOfType(inputs.type), output: jsonType(callee.outputType) }
}

/** The called playbook also reads the alert. */
function checkSensitiveAlert(
  { problems }: ReadContext,
  { name, alertTrigger, masks }: Playbook,
  { names }: NameScope,
  span: Span,
): void {
  const alert = names['alert'] && maskAt(maskOfType(names['alert']), 'data')
  if (!alertTrigger || covers(masks.alert, alert)) return
  const message = `the playbook ${quote(name)} reads the alert but does not mark all of its sensitive fields`
  problems.add('E315', message, span, 'mark the same fields under its `alert`')
}

/** Undefined if it is invalid, which has been reported, or if the playbooks are unknown. */
function* findCallee(context: ReadContext, name: string, { value }: Entry): Sliced<Playbook | undefined> {
  const { problems, playbooks, callers } = context
  if (callers.includes(name)) {
    const circle = [...callers.slice(callers.indexOf(name)), name].join(' → ')
    problems.add('E318', `the playbook would call itself: ${circle}`, value, 'leave out one of these calls')
    return undefined
  }
  if (playbooks === undefined) return undefined
  const parsed = yield* playbooks.findInSlices(name, callers)
  if (parsed === undefined) {
    problems.add('E316', `unknown playbook ${quote(name)}`, value, () => hintFor(name, playbooks))
    return undefined
  }
  const { playbook } = parsed
  if (playbook === undefined) {
    const found = parsed.problems.find(({ severity }) => severity === 'error')
    if (found?.code === 'E318') problems.add('E318', `through ${quote(name)}: ${found.message}`, value)
    else {
      const where = found ? `line ${found.line}: ${found.message}` : undefined
      problems.add('E317', `the playbook ${quote(name)} has errors`, value, where)
    }
    return undefined
  }
  if (!mayCall(context, playbook)) {
    const message = `the playbook ${quote(name)} belongs to ${ownerText(playbook)}, and this one to ${ownerText(context)}`
    problems.add('E325', message, value, 'call a shared playbook, or give both the same `organization`')
    return undefined
  }
  if (playbook.shadow) {
    const hint = 'promote it first, or call a live playbook'
    problems.add('E317', `the playbook ${quote(name)} runs in shadow and cannot be called`, value, hint)
  } else if (!playbook.startedBy.call) {
    problems.add('E317', `the playbook ${quote(name)} cannot be called`, value, 'add call: true to its `on`')
  } else if (playbook.alertTrigger && !context.hasAlert) {
    problems.add('E317', `the playbook ${quote(name)} needs an alert, and this one has none`, value)
  }
  return playbook
}

function hintFor(name: string, { names, expectedAt }: CallablePlaybooks): string | undefined {
  const place = expectedAt(name)
  if (place === undefined) return suggest(name, names)
  return suggestNearest(name, names) ?? `it is expected in ${place}`
}

/** The type of `inputs`: as given by a caller, or as resolved for expressions. */
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
