import type { Entry, MapNode, Node } from './document.ts'
import type { Span } from '../language/source-text.ts'

/** The JSON value of a node. */
export function plainValue(node: Node): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value
    case 'list':
      return node.items.map(plainValue)
    case 'map':
      // fromEntries defines properties: `__proto__` is a key like any other.
      return Object.fromEntries(node.entries.map(({ name, value }) => [name, plainValue(value)]))
  }
}

/** The deepest existing node of a path: a missing value is reported at its container. */
export function nodeAt(node: Node, at: readonly (string | number)[]): Node {
  let found = node
  for (const part of at) {
    const next =
      found.kind === 'list'
        ? found.items[Number(part)]
        : found.kind === 'map'
          ? found.entries.find(({ name }) => name === String(part))?.value
          : undefined
    if (next === undefined) return found
    found = next
  }
  return found
}

/** The last key of a path, or the result of {@link nodeAt} if it does not exist. */
export function keyAt(node: Node, at: readonly (string | number)[]): Span {
  const holder = nodeAt(node, at.slice(0, -1))
  const entry =
    holder.kind === 'map' ? holder.entries.find(({ name }) => name === String(at.at(-1))) : undefined
  return entry?.key ?? nodeAt(node, at)
}

/** The parts of a JSON pointer. */
export function partsOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

export const entryNamed = (map: MapNode, name: string): Entry | undefined =>
  map.entries.find((entry) => entry.name === name)
