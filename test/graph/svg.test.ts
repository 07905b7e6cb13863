import { expect } from 'chai'
import { toDrawing } from '../../core/graph/drawing.ts'
import { layOut, type Layout } from '../../core/graph/layout.ts'
import { toSvg } from '../../core/graph/svg.ts'
import { toStepGraph } from '../../core/playbook/index.ts'
import { example } from '../playbook/example.ts'
import { parsed, withSteps } from '../playbook/support.ts'
import { hostileNames, hostilePlaybook } from './hostile.ts'
import { processorTime } from '../support/processor-time.ts'

const graphOf = (source: string) => toStepGraph(parsed(source))
const layoutOf = (source: string): Layout => layOut(toDrawing(graphOf(source)))

/** Reads well-formed XML, as strictly as a parser of XML: throws at anything else. */
function elementsOf(xml: string): { readonly names: string[]; readonly texts: string[] } {
  const open: string[] = []
  const names: string[] = []
  const texts: string[] = []
  const token =
    /<\/(?<close>[a-zA-Z]+)>|<(?<name>[a-zA-Z]+)(?:\s+[\w:-]+="[^"<>]*")*\s*(?<empty>\/?)>|(?<text>[^<>]+)/y
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex
    const groups = token.exec(xml)?.groups
    if (groups === undefined) throw new Error(`not XML at ${xml.slice(at, at + 60)}`)
    if (groups['close'] !== undefined) expect(open.pop()).to.equal(groups['close'])
    if (groups['name'] !== undefined) names.push(groups['name'])
    if (groups['name'] !== undefined && groups['empty'] === '') open.push(groups['name'])
    if (groups['text']?.trim()) {
      expect(groups['text'].replace(/&(?:amp|lt|gt|quot|#39);/g, '')).to.not.include('&')
      texts.push(groups['text'])
    }
  }
  expect(open).to.deep.equal([])
  return { names, texts }
}

const decoded = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

describe('toSvg()', () => {
  it('keeps hostile names text, whole in the tooltip where they are cut', () => {
    const { names, texts } = elementsOf(toSvg(graphOf(hostilePlaybook)))
    const allowed = ['svg', 'title', 'style', 'defs', 'marker', 'path', 'rect', 'g', 'text']
    expect(names.filter((name) => !allowed.includes(name))).to.deep.equal([])
    const shown = texts.map(decoded)
    for (const name of hostileNames) expect(shown.join('\n')).to.include(name)
  })

  it('fetches nothing and runs nothing', () => {
    const svg = toSvg(graphOf(hostilePlaybook)).replace('xmlns="http://www.w3.org/2000/svg"', '')
    expect(svg.match(/<[^>]*(?:href|src|on\w+)\s*=|@import|url\((?!#tg-)/g)).to.equal(null)
  })

  it('is light or dark as its reader prefers', () => {
    expect(toSvg(graphOf(example))).to.match(/@media \(prefers-color-scheme:dark\)\{/)
  })

  it('says in a few words what it shows to those who do not see it', () => {
    const svg = toSvg(graphOf(example))
    expect(svg).to.match(/^<svg [^>]*role="img" aria-label="Steps of impossible-travel"/)
  })

  it('refuses playbooks that would take too long', () => {
    const steps = Array.from({ length: 620 }, () => '  - set: { x: 1 }').join('\n')
    expect(() => toSvg(graphOf(withSteps(steps)))).to.throw(/at most 600 can be drawn/)
  })

  it('takes a moment only, also where hundreds of steps end the run', () => {
    const steps = Array.from({ length: 400 }, () => '  - { if: run.dry_run, return: 1 }').join('\n')
    const started = processorTime()
    toSvg(graphOf(withSteps(steps)))
    expect(processorTime() - started).to.be.lessThan(3000)
  })
})

describe('the layout of a graph', () => {
  const overlap = (a: Layout['nodes'][number], b: Layout['nodes'][number]) =>
    Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2

  it('puts no node on another, and all inside the picture', () => {
    for (const source of [example, hostilePlaybook]) {
      const { nodes, width, height } = layoutOf(source)
      for (const [index, node] of nodes.entries()) {
        expect(node.x - node.width / 2, node.node.id).to.be.at.least(0)
        expect(node.x + node.width / 2, node.node.id).to.be.at.most(width)
        expect(node.y + node.height / 2, node.node.id).to.be.at.most(height)
        for (const other of nodes.slice(index + 1)) {
          expect(overlap(node, other), `${node.node.id} ${other.node.id}`).to.equal(false)
        }
      }
    }
  })

  it('keeps nodes within the frame they belong to', () => {
    const { nodes, frames } = layoutOf(example)
    const placed = new Map(frames.map((each) => [each.frame.id, each]))
    const inside = nodes.filter(({ node }) => node.frame !== undefined)
    expect(inside.length).to.be.greaterThan(4)
    for (const { node, x, y } of inside) {
      const frame = placed.get(node.frame!)!
      expect(Math.abs(x - frame.x), node.id).to.be.lessThan(frame.width / 2)
      expect(Math.abs(y - frame.y), node.id).to.be.lessThan(frame.height / 2)
    }
  })

  it('leads downwards, and sets branches side by side in their order', () => {
    const { nodes, edges } = layoutOf(example)
    const at = new Map(nodes.map((each) => [each.node.id, each]))
    for (const { edge } of edges) expect(at.get(edge.from)!.y).to.be.lessThan(at.get(edge.to)!.y)
    expect(at.get('gather/intel')!.x).to.be.lessThan(at.get('gather/trips')!.x)
    expect(at.get('gather/intel')!.y).to.equal(at.get('gather/trips')!.y)
  })
})
