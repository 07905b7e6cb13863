import { type AstNode, inspectExpression } from '../expression/index.ts'
import type { SeenExpression } from '../playbook/template/observer.ts'
import type { Span } from '../playbook/language/source-text.ts'
import { callAt } from './calls.ts'
import { code, describeFunction } from './completion/complete-expression.ts'
import { describePlaybook } from './describe-playbook.ts'
import { describeInput, skillDocumentation } from './describe-skill.ts'
import { docsOf } from './function-docs/index.ts'
import { expressionAt, findNode, sourceSpan, type Inspection } from './inspection.ts'
import { describeSchedule } from './schedules.ts'
import { isSkillName, keysOf, requiresKey, schemasAt, type Guide } from './schema-walk.ts'
import { stateAt } from './states.ts'
import { typeText } from './type-text.ts'

export interface Hover {
  /** Markdown. */
  readonly text: string
  readonly span: Span
}

/**
 * The documentation at an offset: of a key, a skill, a playbook, or a part of an expression with its type.
 */
export function hover(inspection: Inspection, offset: number, guide: Guide): Hover | undefined {
  const inside = expressionAt(inspection, offset)
  if (inside) {
    const found = hoverExpression(inside.seen, inside.at)
    return found && { text: found.text, span: sourceSpan(inspection, inside.seen, found.span) }
  }
  const call = callAt(inspection, offset)
  const playbook = call && guide.playbooks?.find(call.name, [])?.playbook
  if (call && playbook) return { text: describePlaybook(playbook), span: call.span }
  const named = stateAt(inspection, offset)
  if (named) return { text: named.state.documentation, span: named.span }
  return inspection.root && hoverYaml(inspection.root, offset, guide)
}

function hoverExpression(seen: SeenExpression, at: number): Hover | undefined {
  const expression = inspectExpression(seen.text, seen.names, seen.given)
  const around = expression?.around(at) ?? []
  const node = around[0]
  if (expression === undefined || node === undefined || node.kind === 'bad') return undefined
  const called = functionAt(node, at)
  if (called) {
    const docs = docsOf(called.name, called.isMethod)
    if (docs.length > 0) return { text: describeFunction(docs), span: called.span }
  }
  // The variable of a macro is not a node of the tree, only a word.
  const text = seen.text.slice(node.start, node.end)
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text
  return { text: code(`${shown}: ${typeText(expression.typeOf(node))}`), span: node }
}

function functionAt(
  node: AstNode,
  at: number,
): { readonly name: string; readonly isMethod: boolean; readonly span: Span } | undefined {
  if (node.kind === 'call' || node.kind === 'macro') {
    const { nameSpan: span } = node
    const isMethod = node.kind === 'macro' || node.target !== undefined
    return at >= span.start && at <= span.end ? { name: node.name, isMethod, span } : undefined
  }
  if (node.kind === 'has') return { name: 'has', isMethod: false, span: node }
  return node.kind === 'bind' ? { name: 'cel.bind', isMethod: false, span: node } : undefined
}

function hoverYaml(root: Parameters<typeof findNode>[0], offset: number, guide: Guide): Hover | undefined {
  const isIn = ({ start, end }: Span): boolean => start <= offset && offset <= end
  return findNode(root, ({ node, path }): Hover | undefined => {
    if (node.kind === 'map') {
      const entry = node.entries.find(({ key }) => isIn(key))
      if (entry === undefined) return undefined
      const schemas = schemasAt(guide, path)
      const schema = keysOf(schemas, guide.schema).get(entry.name)?.[0]
      return (
        schema && {
          text: describeInput(entry.name, schema, requiresKey(schemas, entry.name)),
          span: entry.key,
        }
      )
    }
    if (node.kind !== 'scalar' || !isIn(node) || typeof node.value !== 'string') return undefined
    const times = guide.nowMs === undefined ? undefined : describeSchedule(node, path, guide.nowMs)
    if (times !== undefined) return { text: times, span: node }
    const skill = isSkillName(schemasAt(guide, path)) ? guide.catalogue?.skill(node.value) : undefined
    return skill && { text: skillDocumentation(skill), span: node }
  })
}
