import type * as Parser from '@rgrove/parse-xml'
import type { XmlElement } from '@rgrove/parse-xml'
import { once } from '../../common/once.ts'
import type { DeclaredXml } from '../language/declared.ts'

let parser: typeof Parser | undefined

/** Loads the parser, which only plugins with `xml` need. Call it before {@link xmlOf}. */
export const loadXml = once(async () => {
  parser = await import('@rgrove/parse-xml')
})

/** Largest answer, in characters: parsing it takes about a second. */
const maxLength = 2_097_152
const maxDepth = 100

/**
 * An answer in XML as expressions read it, or why it cannot be read. Document types are skipped: nothing is fetched, and entities other
 * than the five of XML are errors.
 */
export function xmlOf(
  text: string,
  { lists }: DeclaredXml,
): { readonly value: unknown } | { readonly problem: string } {
  const trimmed = text.trim()
  if (!trimmed.startsWith('<')) return { problem: 'it does not begin with <' }
  if (trimmed.length > maxLength)
    return { problem: `it has ${trimmed.length} characters; at most ${maxLength} are read` }
  try {
    const { root } = parser!.parseXml(trimmed)
    if (root === null) return { problem: 'it has no element' }
    const rules = { repeated: new Set<string>(), items: new Map<string, string>() }
    for (const list of lists) {
      const [name = '', item] = list.split('/', 2)
      if (item === undefined) rules.repeated.add(name)
      else rules.items.set(name, item)
    }
    const name = localName(root.name)
    return { value: Object.fromEntries([[name, valueOf(root, rules, 1)]]) }
  } catch (error) {
    if (error instanceof RangeError) return { problem: `it is nested deeper than ${maxDepth} levels` }
    return { problem: (error as Error).message.split('\n', 1)[0]! }
  }
}

interface ListRules {
  /** Elements that are lists, even if they occur once. */
  readonly repeated: ReadonlySet<string>
  /** Elements that are lists of their children of this name. */
  readonly items: ReadonlyMap<string, string>
}

function valueOf(element: XmlElement, rules: ListRules, depth: number): unknown {
  if (depth > maxDepth) throw new RangeError()
  const { XmlElement, XmlText } = parser!
  const children = element.children.filter((child) => child instanceof XmlElement)
  const item = rules.items.get(localName(element.name))
  if (item !== undefined)
    return children
      .filter(({ name }) => localName(name) === item)
      .map((child) => valueOf(child, rules, depth + 1))
  const attributes = Object.entries(element.attributes)
  if (attributes.some(([name, value]) => name === 'xsi:nil' && /^(true|1)$/.test(value))) return null
  const shown = attributes.filter(([name]) => !/^(xmlns|xsi)(:|$)/.test(name))
  const text = element.children
    .map((child) => (child instanceof XmlText ? child.text : ''))
    .join('')
    .trim()
  if (children.length === 0 && shown.length === 0) return text
  return Object.fromEntries([
    ...shown.map(([name, value]) => [`@${localName(name)}`, value]),
    ...(text === '' ? [] : [['#text', text]]),
    ...grouped(children, rules, depth),
  ])
}

/** Children by name; those of the same name as a list. */
function grouped(
  children: readonly XmlElement[],
  rules: ListRules,
  depth: number,
): readonly (readonly [string, unknown])[] {
  const groups = new Map<string, unknown[]>()
  for (const child of children) {
    const name = localName(child.name)
    const group = groups.get(name) ?? []
    group.push(valueOf(child, rules, depth + 1))
    groups.set(name, group)
  }
  return [...groups].map(([name, group]) => [
    name,
    group.length > 1 || rules.repeated.has(name) ? group : group[0],
  ])
}

/** The name without its namespace. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
