import { childrenOf, type AstNode as ExpressionNode, inspectExpression } from '../expression/index.ts'
import { entryNamed } from '../playbook/yaml/plain-value.ts'
import { idPattern } from '../playbook/language/constants.ts'
import type { SeenExpression } from '../playbook/template/observer.ts'
import type { Span } from '../playbook/language/source-text.ts'
import { findNode, sourceSpan, type Inspection } from './inspection.ts'
import { stateAt, stateSpan } from './states.ts'

/** An occurrence of a step id: its definition or a reference. */
export interface StepName {
  readonly id: string
  /** The range of the word. */
  readonly span: Span
}

/** The step whose id is at an offset, in `id:` or in an expression. */
export function stepNameAt(inspection: Inspection, offset: number): StepName | undefined {
  const isIn = ({ span }: StepName) => span.start <= offset && offset <= span.end
  return definitions(inspection).find(isIn) ?? references(inspection).find(isIn)
}

/** The definition of the step, input or state that is read or named at an offset. */
export function definitionAt(inspection: Inspection, offset: number): Span | undefined {
  const step = stepNameAt(inspection, offset)
  if (step) return definitions(inspection).find(({ id }) => id === step.id)?.span
  const isHere = ({ span }: StepName) => span.start <= offset && offset <= span.end
  const input = readsOf(inspection, 'inputs').find(isHere)
  if (input) return inputKey(inspection, input.id)
  const state = stateAt(inspection, offset)?.state.name ?? readsOf(inspection, 'state').find(isHere)?.id
  return state === undefined ? undefined : stateSpan(inspection, state)
}

/** All places to change when a step is renamed; undefined if there is no step or the id is not allowed. */
export function renameStep(inspection: Inspection, offset: number, id: string): readonly Span[] | undefined {
  const step = stepNameAt(inspection, offset)
  const given = definitions(inspection)
  if (step === undefined || !new RegExp(idPattern).test(id)) return undefined
  if (!given.some((each) => each.id === step.id) || given.some((each) => each.id === id)) return undefined
  return [...given, ...references(inspection)].filter((each) => each.id === step.id).map(({ span }) => span)
}

/** The `id:` of a step. */
export const stepIdSpan = (inspection: Inspection, id: string): Span | undefined =>
  definitions(inspection).find((each) => each.id === id)?.span

/** The definition and all references of a step. */
export const placesOfStep = (inspection: Inspection, id: string): readonly Span[] =>
  [...definitions(inspection), ...references(inspection)]
    .filter((each) => each.id === id)
    .map(({ span }) => span)

/** Whether a step can be renamed to this id. */
export const canBeId = (inspection: Inspection, id: string): boolean =>
  new RegExp(idPattern).test(id) && stepIdSpan(inspection, id) === undefined

/** Steps are maps in lists; their ids are scalars. */
function definitions({ root, source }: Inspection): readonly StepName[] {
  const found: StepName[] = []
  if (root === undefined || source === undefined) return found
  findNode(root, ({ node, path }) => {
    const step = path.at(-1)
    if (node.kind !== 'map' || step === undefined || !('index' in step)) return undefined
    const id = entryNamed(node, 'id')?.value
    if (id?.kind !== 'scalar' || typeof id.value !== 'string') return undefined
    // Within its quotes, if it has any.
    const start = source.text.indexOf(id.value, id.start)
    if (start >= 0) found.push({ id: id.value, span: { start, end: start + id.value.length } })
    return undefined
  })
  return found
}

const references = (inspection: Inspection): readonly StepName[] => readsOf(inspection, 'steps')

/** The references to fields of `steps` or `inputs` in expressions, with the range of the field name. */
function readsOf(inspection: Inspection, root: string): readonly StepName[] {
  return inspection.expressions.flatMap((seen) =>
    readsIn(seen, root).map(({ id, span }) => ({ id, span: sourceSpan(inspection, seen, span) })),
  )
}

function readsIn(seen: SeenExpression, root: string): readonly StepName[] {
  if (!seen.text.includes(root)) return []
  const expression = inspectExpression(seen.text, seen.names, seen.given)
  const found: StepName[] = []
  const visit = (node: ExpressionNode): void => {
    const field = fieldOf(node, seen.text)
    if (field?.of.kind === 'ident' && field.of.name === root && !expression!.variablesOf(node).has(root)) {
      found.push({ id: field.id, span: field.span })
    }
    for (const child of childrenOf(node)) visit(child)
  }
  if (expression) visit(expression.tree)
  return found
}

function fieldOf(
  node: ExpressionNode,
  text: string,
): (StepName & { readonly of: ExpressionNode }) | undefined {
  if (node.kind === 'select') return { id: node.field, span: node.fieldSpan, of: node.operand }
  if (node.kind !== 'index' || node.index.kind !== 'literal' || typeof node.index.value !== 'string')
    return undefined
  const start = text.indexOf(node.index.value, node.index.start)
  return { id: node.index.value, span: { start, end: start + node.index.value.length }, of: node.operand }
}

function inputKey({ root }: Inspection, name: string): Span | undefined {
  const inputs = root?.kind === 'map' ? entryNamed(root, 'inputs')?.value : undefined
  return inputs?.kind === 'map' ? entryNamed(inputs, name)?.key : undefined
}
