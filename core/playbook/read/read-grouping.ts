import type { Type } from '../../expression/index.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry, Node } from '../yaml/document.ts'
import { compileBare } from '../template/expressions.ts'
import { describe, headSpan, readDuration, readFields } from '../template/fields.ts'
import { grammar } from '../language/grammar.ts'
import type { Grouping } from '../language/playbook.ts'
import { NameScope } from '../scope/scope.ts'

const example = 'write [alert.data.user, alert.data.source]'

/** Reads `on.alert.group`: how repeats are recognized, or `false`. */
export function readGrouping(
  context: ReadContext,
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
    problems.add(
      'E106',
      `expected a list of expressions for \`by\`, found ${describe(by.value)}`,
      by.value,
      example,
    )
    return undefined
  }
  if (by.value.items.length === 0) problems.add('E106', '`by` is empty', headSpan(by.value), example)
  const programs = by.value.items.map((item) => readPart(context, item, names))
  return { by: programs.filter((program) => program !== undefined), withinMs }
}

/** Each expression must read the alert; else it would group unrelated alerts. */
function readPart(context: ReadContext, item: Node, names: Readonly<Record<string, Type>>) {
  const program = compileBare(context, new NameScope(names, { isBefore: true }), 'by', item)
  if (program === undefined || program.references.some(({ root }) => root === 'alert')) return program
  context.problems.add(
    'E321',
    'this expression does not read the alert, so all alerts would be grouped',
    item,
    example,
  )
  return undefined
}
