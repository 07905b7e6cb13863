import { formatPlaybook } from '../../playbook/yaml/format.ts'
import { Document, isMap, isPair, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'

/** Longest map or list on one line. */
const maxWidth = 100

/** Comments by the path of the key that they are written above. */
export type Comments = ReadonlyMap<string, readonly string[]>

/**
 * The YAML of a value: short maps and lists on one line, the skills divided by blank lines.
 *
 * @param comments by path, such as `skills/0/repeat`
 */
export function writePluginYaml(value: unknown, comments: Comments): string {
  const document = new Document(withoutControls(value), { version: '1.2', aliasDuplicateObjects: false })
  layOut(document.contents, '', comments, 0)
  const text = document.toString({ lineWidth: 0, singleQuote: true, indentSeq: true })
  const formatted = formatPlaybook(text)
  return formatted.kind === 'formatted' ? formatted.text : text
}

/** Characters that `plugin.yaml` must not contain, or that change how it looks. */
const controls = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029\ufffe\uffff]/gu

const plainText = (text: string): string => text.toWellFormed().replaceAll(controls, '')

function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value)
  if (Array.isArray(value)) return value.map(withoutControls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [plainText(name), withoutControls(inner)]),
  )
}

/** Readable JSON without characters that change how it looks. */
export const writeJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2)
    .toWellFormed()
    .replaceAll(/[\p{Cf}\u007f-\u009f\u2028\u2029]/gu, (each) =>
      Array.from(
        { length: each.length },
        (_, at) => `\\u${each.charCodeAt(at).toString(16).padStart(4, '0')}`,
      ).join(''),
    )}\n`

function layOut(node: Node | null, path: string, comments: Comments, depth: number, keyWidth = 0): void {
  if (isMap(node)) {
    for (const pair of node.items) {
      if (!isPair(pair) || !isScalar(pair.key)) continue
      const inner = `${path}${path === '' ? '' : '/'}${String(pair.key.value)}`
      const lines = comments.get(inner)
      if (lines !== undefined) pair.key.commentBefore = lines.map((line) => ` ${line}`).join('\n')
      layOut(pair.value as Node | null, inner, comments, depth + 1, String(pair.key.value).length + 2)
    }
    if (depth > 1 && !hasComment(node) && widthOf(node) + keyWidth <= maxWidth - 2 * depth) node.flow = true
  } else if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      if (path === 'skills' && index > 0) (item as Node).spaceBefore = true
      layOut(item as Node, `${path}/${index}`, comments, depth + 1)
    }
    const isFlat = path !== 'skills' && !path.endsWith('/skills')
    if (isFlat && depth > 0 && widthOf(node) + keyWidth <= maxWidth - 2 * depth) node.flow = true
  }
}

const hasComment = (map: YAMLMap): boolean =>
  map.items.some(
    ({ key, value }) =>
      (isScalar(key) && key.commentBefore !== undefined) || (isMap(value) && hasComment(value)),
  )

/** Approximate width of a node on one line. */
const widthOf = (node: Node): number => JSON.stringify(node.toJSON()).length
