import type { Type } from '../../expression/index.ts'
import type { Context } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { compileBare } from '../template/expressions.ts'
import { describe, headOf, readDuration, readFields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import type { Grouping } from '../language/playbook.ts'
import { Scope } from '../scope/scope.ts'

const example = 'write [alert.data.user, alert.data.source]'

/** `on.alert.group`: what makes an alert the repeat of an earlier one, or `false`. */
export function readGrouping(
  context: Context,
  { value }: Entry,
  names: Readonly<Record<string, Type>>,
): Grouping | 'never' | undefined {
  const { problems } = context
  if (value.kind === 'scalar' && value.value === false) return 'never'
  const fields = readFields(problems, value, grammar.group)
  const by = fields?.get('by')
  const within = fields?.get('within')
  const withinMs = within && readDuration(problems, within)
  if (by === undefined) return undefined
  if (by.value.kind !== 'list') {
    problems.add('E106', `\`by\` must be a list of expressions, not ${describe(by.value)}`, by.value, example)
    return undefined
  }
  if (by.value.items.length === 0) problems.add('E106', '`by` is empty', headOf(by.value), example)
  const programs = by.value.items.map((item) => readPart(context, item, names))
  return { by: programs.filter((program) => program !== undefined), withinMs }
}

/** What is the same for all alerts would group those that have nothing in common. */
function readPart(context: Context, item: Node, names: Readonly<Record<string, Type>>) {
  const program = compileBare(context, new Scope(names, { isBefore: true }), 'by', item)
  if (program === undefined || program.references.some(({ root }) => root === 'alert')) return program
  context.problems.add('E321', 'this is the same for all alerts, and would group them all', item, example)
  return undefined
}
