import { readPlugin, type ReadPluginOptions } from '../declarative/index.ts'
import type { CallablePlaybooks } from '../playbook/scope/context.ts'
import { runAtOnce, type Sliced } from '../common/sliced.ts'
import type { Node } from '../playbook/yaml/document.ts'
import type { ReadObserver, SeenExpression } from '../playbook/template/observer.ts'
import { parseInSlices } from '../playbook/read/parse.ts'
import type { Problem } from '../playbook/language/problem.ts'
import { spanInScalar } from '../playbook/yaml/scalar-offsets.ts'
import type { SourceText, Span } from '../playbook/language/source-text.ts'
import type { Catalogue } from '../registry/catalogue.ts'

/** A playbook or plugin in an editor, which may be incomplete or have mistakes. */
export interface Inspection {
  /** Undefined if the text cannot be parsed. */
  readonly root: Node | undefined
  readonly source: SourceText | undefined
  readonly expressions: readonly SeenExpression[]
  readonly problems: readonly Problem[]
}

/** @param playbooks the callable playbooks; without them, calls are not checked */
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
  const { observer, observed } = observe()
  const { problems } = yield* parseInSlices(text, { catalogue, playbooks, observer })
  return { ...observed(), problems }
}

/** @param options without `files`, examples are not checked */
export function inspectPlugin(text: string, options: Omit<ReadPluginOptions, 'observer'>): Inspection {
  const { observer, observed } = observe()
  const { problems } = readPlugin(text, { ...options, observer })
  return { ...observed(), problems }
}

function observe(): {
  readonly observer: ReadObserver
  readonly observed: () => Omit<Inspection, 'problems'>
} {
  const expressions: SeenExpression[] = []
  let root: Node | undefined
  let source: SourceText | undefined
  const observer: ReadObserver = {
    document(node, body) {
      root = node
      source = body
    },
    expression: (seen) => expressions.push(asTheyAre(seen)),
  }
  return { observer, observed: () => ({ root, source, expressions }) }
}

/**
 * Copies the visible steps, which grow during parsing. Done on access, because only a few of thousands of
 * expressions are inspected.
 */
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

/** The place of a part of an expression in the text. */
export function sourceSpan({ source }: Inspection, seen: SeenExpression, { start, end }: Span): Span {
  return spanInScalar(source?.text ?? '', seen.scalar, seen.from + start, seen.from + end)
}

/** The expression at an offset of the text, and the offset within it. */
export function expressionAt(
  inspection: Inspection,
  offset: number,
): { readonly seen: SeenExpression; readonly at: number } | undefined {
  for (const seen of inspection.expressions) {
    if (offset < seen.scalar.start || offset > seen.scalar.end) continue
    const span = sourceSpan(inspection, seen, { start: 0, end: seen.text.length })
    if (offset < span.start || offset > span.end) continue
    let [low, high] = [0, seen.text.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sourceSpan(inspection, seen, { start: middle, end: middle }).start >= offset) high = middle
      else low = middle + 1
    }
    return { seen, at: low }
  }
  return undefined
}

/** A value with its path: keys of maps, indexes of lists. */
export interface Located {
  readonly node: Node
  readonly path: readonly PathStep[]
}

/** A segment of a path: the container, and the key or index in it. */
export type PathStep =
  | { readonly in: Extract<Node, { kind: 'map' }>; readonly key: string }
  | { readonly in: Extract<Node, { kind: 'list' }>; readonly index: number }

/** Visits all nodes, outer ones first, and returns the first result of `visit` that is not undefined. */
export function findNode<T>(
  node: Node,
  visit: (located: Located) => T | undefined,
  path: readonly PathStep[] = [],
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
