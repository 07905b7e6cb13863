import type { StepGraph } from '../playbook/language/step-graph.ts'
import { toDrawing, type Drawing, type DrawnEdge, type DrawnNode, type Frame } from './drawing.ts'
import { shortenLabel } from './text.ts'

/** Maximum length of a label's line, in characters. */
const maxLine = 60

/**
 * The graph as a Mermaid flowchart. Text of the playbook cannot become markup: ids are generated, and every
 * special character of Mermaid or HTML is written as a character code.
 */
export function toMermaid(graph: StepGraph): string {
  const drawing = toDrawing(graph)
  const names = new Map(drawing.nodes.map(({ id }, index) => [id, `n${index}`]))
  const lines = [
    'flowchart TD',
    ...contentOf(drawing, undefined, names, '  '),
    ...drawing.edges.map((edge) => `  ${arrow(edge, names)}`),
    ...styles(drawing, names),
  ]
  return `${lines.join('\n')}\n`
}

type Names = ReadonlyMap<string, string>

function contentOf(drawing: Drawing, frame: string | undefined, names: Names, indent: string): string[] {
  const nodes = drawing.nodes
    .filter((node) => node.frame === frame)
    .map((node) => `${indent}${names.get(node.id)}${shaped(node)}`)
  const frames = drawing.frames
    .filter(({ parent }) => parent === frame)
    .flatMap((inner) => [
      `${indent}subgraph f${drawing.frames.indexOf(inner)}[${frameLabel(inner)}]`,
      ...contentOf(drawing, inner.id, names, `${indent}  `),
      `${indent}end`,
    ])
  return [...nodes, ...frames]
}

const frameLabel = ({ title }: Frame): string => quoted([title])

function shaped({ shape, title, notes, isRepeated }: DrawnNode): string {
  const label = quoted([title, ...notes.map(({ text }) => text)].filter((line) => line !== ''))
  switch (shape) {
    case 'start':
    case 'end':
    case 'pill':
      return `([${label}])`
    case 'gate':
      return `{${label}}`
    case 'fork':
    case 'join':
      return `((${quoted([])}))`
    case 'card':
      return isRepeated ? `[[${label}]]` : `[${label}]`
  }
}

function arrow({ from, to, kind, label }: DrawnEdge, names: Names): string {
  const line = kind === 'error' || kind === 'finally' ? '-.->' : '-->'
  const text = label ?? (kind === 'error' ? 'on error' : undefined)
  return `${names.get(from)} ${line}${text === undefined ? '' : `|${quoted([text])}|`} ${names.get(to)}`
}

/** Only line colours, so that the theme of the page sets the rest. */
const classes: readonly (readonly [name: string, style: string, has: (node: DrawnNode) => boolean])[] = [
  ['ends', 'stroke:#1a7f37,stroke-width:2px', ({ kind }) => kind === 'return'],
  ['fails', 'stroke:#cf222e,stroke-width:2px', ({ kind }) => kind === 'fail'],
  [
    'optional',
    'stroke-dasharray:5 4',
    ({ shape, notes }) => shape === 'card' && notes.some(({ kind }) => kind === 'condition'),
  ],
]

function styles({ nodes, edges }: Drawing, names: Names): string[] {
  const errors = edges.flatMap(({ kind }, index) => (kind === 'error' ? [index] : []))
  const used = classes.flatMap(([name, style, has]) => {
    const members = nodes.filter(has).map(({ id }) => names.get(id))
    return members.length === 0 ? [] : [`  classDef ${name} ${style}`, `  class ${members.join(',')} ${name}`]
  })
  return errors.length === 0 ? used : [...used, `  linkStyle ${errors.join(',')} stroke:#cf222e`]
}

/**
 * Mermaid reads `#35;` as a character code. Colons are escaped too, because `style:` would turn the code into
 * a colour.
 */
function quoted(lines: readonly string[]): string {
  const text = lines.map((line) =>
    shortenLabel(line, maxLine).replace(
      /[^\p{L}\p{N} _.,/=()·…-]/gu,
      (character) => `#${character.codePointAt(0)};`,
    ),
  )
  return `"${text.length === 0 ? ' ' : text.join('<br/>')}"`
}
