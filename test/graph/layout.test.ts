import { expect } from 'chai'
import { layOutInColumns } from '../../core/graph/column-layout.ts'
import { toDrawing } from '../../core/graph/drawing.ts'
import { layOutInLayers } from '../../core/graph/layered-layout.ts'
import { type Layout } from '../../core/graph/layout.ts'
import { toStepGraph } from '../../core/playbook/language/step-graph.ts'
import { example } from '../playbook/example.ts'
import { parsed } from '../playbook/support.ts'
import { largePlaybooks } from '../support/large-playbooks.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { hostilePlaybook } from './hostile.ts'
import { layOut } from '../../core/graph/choose-layout.ts'

const drawingOf = (source: string) => toDrawing(toStepGraph(parsed(source)))

const overlap = (a: Layout['nodes'][number], b: Layout['nodes'][number]) =>
  Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2

for (const [how, arrange] of Object.entries({ layers: layOutInLayers, columns: layOutInColumns })) {
  describe(`the layout of a graph in ${how}`, () => {
    const layoutOf = (source: string): Layout => arrange(drawingOf(source))

    it('keeps nodes apart and inside the picture', () => {
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

    it('keeps nodes and frames inside their frames', () => {
      const { nodes, frames } = layoutOf(example)
      const placed = new Map(frames.map((each) => [each.frame.id, each]))
      const inside = [
        ...nodes.map((each) => ({ ...each, parent: each.node.frame })),
        ...frames.map((each) => ({ ...each, parent: each.frame.parent })),
      ].filter(({ parent }) => parent !== undefined)
      expect(inside.length).to.be.greaterThan(4)
      for (const { parent, x, y, width } of inside) {
        const frame = placed.get(parent!)!
        expect(Math.abs(x - frame.x) + width / 2).to.be.at.most(frame.width / 2)
        expect(Math.abs(y - frame.y)).to.be.lessThan(frame.height / 2)
      }
    })

    it('runs downwards with branches side by side in order', () => {
      const { nodes, edges } = layoutOf(example)
      const at = new Map(nodes.map((each) => [each.node.id, each]))
      for (const { edge } of edges) expect(at.get(edge.from)!.y).to.be.lessThan(at.get(edge.to)!.y)
      expect(at.get('gather/intel')!.x).to.be.lessThan(at.get('gather/trips')!.x)
      expect(at.get('gather/intel')!.y).to.equal(at.get('gather/trips')!.y)
    })
  })
}

describe('the layout of a large graph', () => {
  for (const [what, source] of Object.entries(largePlaybooks)) {
    it(`shows every step quickly: ${what}`, () => {
      const drawing = drawingOf(source)
      const startedAt = processorTime()
      const { nodes } = layOut(drawing)
      expect(processorTime() - startedAt).to.be.lessThan(limitHere(3_000))
      expect(nodes).to.have.length(drawing.nodes.length)
    })
  }

  it('uses layers up to a realistic size', () => {
    expect(layOut(drawingOf(example))).to.deep.equal(layOutInLayers(drawingOf(example)))
  })
})
