import {
  describeType,
  dyn,
  elementOfUnknown,
  integer,
  keywords,
  reserved,
  sensitive,
  union,
  type Type,
} from '../../expression/index.ts'
import type { ReadContext } from '../scope/context.ts'
import type { Entry } from '../yaml/document.ts'
import { compileValue } from '../template/expressions.ts'
import { describe, readChoice, readNumber, readWord, type Fields } from '../template/fields.ts'
import { bounds, defaultForeach, idPattern, idRule, reservedNames } from '../language/constants.ts'
import { keptValue } from '../template/kept-value.ts'
import type { Foreach } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import type { NameScope } from '../scope/scope.ts'
import type { Sliced } from '../../common/sliced.ts'

/** Reads `foreach` with `as`, `concurrency`, `max_items` and `on_item_error`, and the names of its body. */
export function* readForeach(
  context: ReadContext,
  { value }: Entry,
  fields: Fields,
  scope: NameScope,
): Sliced<{ readonly foreach: Foreach; readonly names: Readonly<Record<string, Type>> }> {
  const { problems } = context
  const items = keptValue(problems, yield* compileValue(context, scope, value))
  const element = itemTypeOf(items.type)
  if (element === undefined && !problems.hasErrorIn(value)) {
    const isBare = value.kind === 'scalar' && typeof value.value === 'string' && !value.value.includes('${{')
    const hint = isBare ? `write \${{ ${value.value} }}` : undefined
    problems.add(
      'E309',
      `expected a list for \`foreach\`, found ${items.template.kind === 'literal' ? describe(value) : describeType(items.type)}`,
      value,
      hint,
    )
  }
  const as = readAs(context, fields.get('as'))
  const concurrency = fields.get('concurrency')
  const maxItems = fields.get('max_items')
  const onItemError = fields.get('on_item_error')
  return {
    foreach: {
      items: items.template,
      as,
      concurrency:
        (concurrency && readNumber(problems, concurrency, bounds.concurrency)) ?? defaultForeach.concurrency,
      maxItems: (maxItems && readNumber(problems, maxItems, bounds.maxItems)) ?? defaultForeach.maxItems,
      onItemError: (onItemError && readChoice(problems, onItemError, ['fail', 'continue'])) ?? 'fail',
    },
    names: { [as]: element ?? dyn, index: integer },
  }
}

function readAs({ problems }: ReadContext, entry: Entry | undefined): string {
  if (entry === undefined) return defaultForeach.as
  const name = readWord(problems, entry, idPattern, idRule)
  if (name === undefined) return defaultForeach.as
  if (!reservedNames.includes(name) && !keywords.includes(name) && !reserved.has(name)) return name
  problems.add('E107', `${quote(name)} is reserved in expressions`, entry.value, 'choose another name')
  return defaultForeach.as
}

/** The element type of a list; undefined for other types. */
export function itemTypeOf(type: Type): Type | undefined {
  if (type.kind === 'dyn') return elementOfUnknown(type)
  if (type.kind === 'list') return type.sensitive === true ? sensitive(type.element) : type.element
  if (type.kind !== 'union') return undefined
  const elements = type.members.map(itemTypeOf)
  return elements.every((element) => element !== undefined) ? union(elements) : undefined
}
