import { expect } from 'chai'
import { toMermaid } from '../../core/graph/mermaid.ts'
import { toStepGraph } from '../../core/playbook/language/step-graph.ts'
import { parsed, withSteps } from '../playbook/support.ts'
import { hostileNames, hostilePlaybook } from './hostile.ts'

const draw = (source: string) => toMermaid(toStepGraph(parsed(source)))

/** The allowed lines of a flowchart; labels contain only harmless characters and character codes. */
const label = String.raw`"(?:[\p{L}\p{N} _.,/=()·…-]|#\d+;|<br/>)*"`
const id = String.raw`[nf]\d+`
const lines = [
  'flowchart TD',
  String.raw`subgraph ${id}\[${label}\]`,
  'end',
  String.raw`${id}(?:\(\[${label}\]\)|\{${label}\}|\(\(${label}\)\)|\[\[${label}\]\]|\[${label}\])`,
  String.raw`${id} (?:-->|-\.->)(?:\|${label}\|)? ${id}`,
  String.raw`classDef \w+ [\w#:, -]+`,
  String.raw`class ${id}(?:,${id})* \w+`,
  String.raw`linkStyle \d+(?:,\d+)* [\w#:]+`,
].map((line) => new RegExp(`^ *${line}$`, 'u'))

describe('toMermaid()', () => {
  it('draws steps with their skills, conditions, items and edges', () => {
    const steps = `
  - { id: a, foreach: [1, 2], as: n, set: { x: "\${{ n }}" } }
  - { if: run.dry_run, uses: case.update, on_error: [{ fail: x }] }`
    expect(draw(withSteps(steps, 'finally: [{ id: z, set: { x: 1 } }]')).split('\n')).to.deep.equal([
      'flowchart TD',
      '  n0(["test"])',
      '  n1[["a<br/>for each n"]]',
      '  n2["case.update<br/>if run.dry_run"]',
      '  n3(["fail<br/>x"])',
      '  n5(["end"])',
      '  subgraph f0["finally"]',
      '    n4["z"]',
      '  end',
      '  n0 --> n1',
      '  n1 --> n2',
      '  n2 -.->|"on error"| n3',
      '  n2 -.-> n4',
      '  n3 -.-> n4',
      '  n4 --> n5',
      '  classDef fails stroke:#cf222e,stroke-width:2px',
      '  class n3 fails',
      '  classDef optional stroke-dasharray:5 4',
      '  class n2 optional',
      '  linkStyle 2 stroke:#cf222e',
      '',
    ])
  })

  it('frames groups, and bypasses conditional ones', () => {
    const steps = `
  - { id: g, if: run.dry_run, steps: [{ id: b, set: { x: 1 } }] }
  - { id: p, parallel: [{ id: c, set: { x: 1 } }, { id: d, set: { x: 1 } }] }`
    const picture = draw(withSteps(steps))
    expect(picture).to.include('subgraph f0["g"]\n    n1{"if run.dry_run"}\n    n2["b"]\n  end')
    expect(picture).to.include('subgraph f1["p · parallel"]')
    expect(picture).to.include('n1 -->|"skipped"| n3')
  })

  it('escapes characters that are special in Mermaid or HTML', () => {
    for (const line of draw(hostilePlaybook).trimEnd().split('\n')) {
      expect(
        lines.some((pattern) => pattern.test(line)),
        line,
      ).to.equal(true)
    }
  })

  it('shows names unchanged', () => {
    const decoded = draw(hostilePlaybook).replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    for (const name of hostileNames.filter(({ length }) => length <= 60)) {
      expect(decoded).to.include(`["${name}"]`)
    }
  })
})
