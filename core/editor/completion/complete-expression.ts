import {
  type AstNode,
  describeType,
  type Type,
  globalFunctions,
  inspectExpression,
  methodsOf,
  type InspectedExpression,
  macros,
  membersOf,
} from '../../expression/index.ts'
import type { SeenExpression } from '../../playbook/template/observer.ts'
import type { Completion } from './completion.ts'
import { docsOf, type FunctionDoc } from '../function-docs/index.ts'
import { typeText } from '../type-text.ts'

/** The completions in an expression at the mark. */
export function completeExpression(seen: SeenExpression, mark: string): readonly Completion[] {
  const expression = inspectExpression(seen.text, seen.names, seen.given)
  if (expression === undefined) return []
  const [node, parent] = expression.around(seen.text.indexOf(mark))
  if (node?.kind === 'literal') return parent ? textsOf(expression, node, parent) : []
  if (node?.kind === 'select') return membersOfValue(expression, node.operand)
  // `value.mark(…)`
  if (node?.kind === 'call' && node.target) return membersOfValue(expression, node.target)
  return namesAt(expression, node ?? expression.tree, seen.names)
}

/** The possible strings on the other side of a comparison, or the field names for `[…]`. */
function textsOf(expression: InspectedExpression, literal: AstNode, parent: AstNode): readonly Completion[] {
  if (parent.kind === 'index') return fieldsOf(expression.typeOf(parent.operand), parent.operand)
  const other = parent.kind === 'binary' ? (parent.left === literal ? parent.right : parent.left) : undefined
  const type = other && expression.typeOf(other)
  const values = (type ? membersOf(type) : []).flatMap((member) =>
    member.kind === 'string' ? (member.values ?? []) : [],
  )
  return values.map((value) => ({ label: value, kind: 'value' }))
}

const collections: readonly Type['kind'][] = ['list', 'map', 'object', 'dyn']
const lists: readonly Type['kind'][] = ['list', 'dyn']
const optionals: readonly Type['kind'][] = ['optional', 'dyn']

/** The types that macros work on, where these are not lists and maps. */
const macroTypes: Readonly<Record<string, readonly Type['kind'][]>> = {
  sortBy: lists,
  groupBy: lists,
  indexBy: lists,
  optMap: optionals,
  optFlatMap: optionals,
}

/** `existsOne` is another name of `exists_one`. */
const offeredMacros = [...macros.keys()].filter((name) => name !== 'existsOne')

function membersOfValue(expression: InspectedExpression, operand: AstNode): readonly Completion[] {
  const namespace = operand.kind === 'ident' ? `${operand.name}.` : '.'
  const inNamespace = ['cel.bind', ...globalFunctions()].filter((name) => name.startsWith(namespace))
  if (inNamespace.length > 0)
    return inNamespace.map((name) => functionItem(name, false, name.slice(namespace.length)))
  const type = expression.typeOf(operand)
  if (isSteps(operand)) return fieldsOf(type, operand)
  const kinds = membersOf(type).map(({ kind }) => kind)
  const usable = offeredMacros.filter((name) =>
    (macroTypes[name] ?? collections).some((kind) => kinds.includes(kind)),
  )
  return [
    ...fieldsOf(type, operand),
    ...[...usable, ...methodsOf(type)].map((name) => functionItem(name, true)),
  ]
}

function fieldsOf(type: Type, operand: AstNode): readonly Completion[] {
  const inner = membersOf(type).flatMap((member) =>
    member.kind === 'optional' ? membersOf(member.value) : [member],
  )
  return inner.flatMap((member) =>
    member.kind !== 'object'
      ? []
      : [...member.properties].map(([name, property]) => ({
          label: name,
          kind: isSteps(operand) ? ('step' as const) : ('field' as const),
          detail: `${describeType(property.type)}${property.optional === true ? ', may be absent' : ''}`,
          documentation: code(typeText(property.type)),
          insert: /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``,
          rank: 0,
        })),
  )
}

const isSteps = (node: AstNode): boolean => node.kind === 'ident' && node.name === 'steps'

function namesAt(
  expression: InspectedExpression,
  node: AstNode,
  names: Readonly<Record<string, Type>>,
): readonly Completion[] {
  const all = new Map([...Object.entries(names), ...expression.variablesOf(node)])
  return [
    ...[...all].map(([name, type]) => ({
      label: name,
      kind: 'name' as const,
      detail: describeType(type),
      documentation: code(typeText(type)),
      rank: 0,
    })),
    ...['has', 'cel.bind', ...globalFunctions()].map((name) => functionItem(name, false)),
    ...['true', 'false', 'null'].map((label) => ({ label, kind: 'value' as const, rank: 2 })),
  ]
}

function functionItem(name: string, isMethod: boolean, label = name): Completion {
  const docs = docsOf(name, isMethod)
  return {
    label,
    kind: 'function',
    detail: docs[0]?.signature,
    documentation: docs.length === 0 ? undefined : describeFunction(docs),
    insert: label,
  }
}

/** Markdown. */
export function describeFunction(docs: readonly FunctionDoc[]): string {
  return docs
    .map(({ signature, meaning, example }) => `${code(signature)}\n\n${meaning}\n\nExample: \`${example}\``)
    .join('\n\n')
}

/** A Markdown code block; types and signatures contain no fences. */
export const code = (text: string): string => `\`\`\`cel\n${text.replaceAll('```', '')}\n\`\`\``
