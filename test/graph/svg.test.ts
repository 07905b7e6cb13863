import { expect } from 'chai'
import { toSvg } from '../../core/graph/svg.ts'
import { toStepGraph } from '../../core/playbook/language/step-graph.ts'
import { example } from '../playbook/example.ts'
import { parsed, withSteps } from '../playbook/support.ts'
import { hostileNames, hostilePlaybook } from './hostile.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'

const graphOf = (source: string) => toStepGraph(parsed(source))

/** Parses well-formed XML strictly: throws for anything else. */
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
  it('escapes hostile names, and shows truncated names in the tooltip', () => {
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

  it('follows the preferred color scheme', () => {
    expect(toSvg(graphOf(example))).to.match(/@media \(prefers-color-scheme:dark\)\{/)
  })

  it('has a text alternative', () => {
    const svg = toSvg(graphOf(example))
    expect(svg).to.match(/^<svg [^>]*role="img" aria-label="Steps of impossible-travel"/)
  })

  it('draws playbooks of any size', () => {
    const svg = toSvg(graphOf(withSteps('  - set: { x: 1 }\n'.repeat(2_000))))
    expect(svg.match(/tg-stripe/g)?.length).to.be.at.least(2_000)
  })

  it('is fast, even if hundreds of steps end the run', () => {
    const steps = Array.from({ length: 400 }, () => '  - { if: run.dry_run, return: 1 }').join('\n')
    const started = processorTime()
    toSvg(graphOf(withSteps(steps)))
    expect(processorTime() - started).to.be.lessThan(limitHere(3000))
  })
})
