import { runAtOnce, type Sliced } from '../common/sliced.ts'
import type { CallablePlaybooks } from '../playbook/scope/callable-playbooks.ts'
import type { Node } from '../playbook/yaml/document.ts'
import type { SeenExpression } from '../playbook/template/observer.ts'
import { parseInSlices } from '../playbook/read/parse.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { spanInScalar } from '../playbook/yaml/scalar-offsets.ts'
import type { SourceText, Span } from '../playbook/language/source-text.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A playbook as an editor sees it: also one that has mistakes or is not finished. */
export interface Inspection {
  /** Undefined where nothing can be made of the text. */
  readonly root: Node | undefined
  readonly source: SourceText | undefined
  readonly expressions: readonly SeenExpression[]
  readonly problems: readonly Problem[]
}

/** @param playbooks those that can be called; without them calls are not checked */
export const inspectPlaybook = (
  text: string,
  catalogue: Catalogue | undefined,
  playbooks?: CallablePlaybooks,
): Inspection => runAtOnce(inspectInSlices(text, catalogue, playbooks))

/** {@link inspectPlaybook} in time slices. */
export function* inspectInSlices(
  text: string,
  catalogue: Catalogue | undefined,
  playbooks?: CallablePlaybooks,
): Sliced<Inspection> {
  const expressions: SeenExpression[] = []
  let root: Node | undefined
  let source: SourceText | undefined
  const { problems } = yield* parseInSlices(text, {
    catalogue,
    playbooks,
    observer: {
      document(node, body) {
        root = node
        source = body
      },
      expression: (seen) => expressions.push(asTheyAre(seen)),
    },
  })
  return { root, source, expressions, problems }
}

/** The steps that are visible grow while the reading goes on; of thousands of expressions few are looked at. */
function asTheyAre(seen: SeenExpression): SeenExpression {
  const { steps } = seen.names
  if (steps?.kind !== 'object') return seen
  const { size } = steps.properties
  return {
    ...seen,
    get names() {
      return {
        ...seen.names,
        steps: { ...steps, properties: new Map(steps.properties.entries().take(size)) },
      }
    },
  }
}

/** Where a stretch of an expression stands in the text. */
export function placeOf({ source }: Inspection, seen: SeenExpression, { start, end }: Span): Span {
  return spanInScalar(source?.text ?? '', seen.scalar, seen.from + start, seen.from + end)
}

/** The expression at an offset of the text, and the offset in it. */
export function expressionAt(
  inspection: Inspection,
  offset: number,
): { readonly seen: SeenExpression; readonly at: number } | undefined {
  for (const seen of inspection.expressions) {
    if (offset < seen.scalar.start || offset > seen.scalar.end) continue
    const span = placeOf(inspection, seen, { start: 0, end: seen.text.length })
    if (offset < span.start || offset > span.end) continue
    let [low, high] = [0, seen.text.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (placeOf(inspection, seen, { start: middle, end: middle }).start >= offset) high = middle
      else low = middle + 1
    }
    return { seen, at: low }
  }
  return undefined
}

/** A value with the way to it: keys of maps, places in lists. */
export interface Located {
  readonly node: Node
  readonly path: readonly Step[]
}

/** One step of a path: the container, and which of its parts. */
export type Step =
  | { readonly in: Extract<Node, { kind: 'map' }>; readonly key: string }
  | { readonly in: Extract<Node, { kind: 'list' }>; readonly index: number }

/** Goes through all nodes, outer ones first; returns the first for which `visit` returns something. */
export function findNode<T>(
  node: Node,
  visit: (located: Located) => T | undefined,
  path: readonly Step[] = [],
): T | undefined {
  const found = visit({ node, path })
  if (found !== undefined) return found
  if (node.kind === 'map') {
    for (const { name, value } of node.entries) {
      const inner = findNode(value, visit, [...path, { in: node, key: name }])
      if (inner !== undefined) return inner
    }
  } else if (node.kind === 'list') {
    for (const [index, item] of node.items.entries()) {
      const inner = findNode(item, visit, [...path, { in: node, index }])
      if (inner !== undefined) return inner
    }
  }
  return undefined
}
