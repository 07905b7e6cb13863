import { toDrawing } from '../../../../core/graph/drawing.ts'
import { layOut } from '../../../../core/graph/choose-layout.ts'
import { toStepGraph } from '../../../../core/playbook/language/step-graph.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { objectSchema, text, textOrNull } from '../system/page.ts'

const number = { type: 'number' } as const
const box = { x: number, y: number, width: number, height: number } as const

/**
 * The graph of a playbook: coordinates in pixels from the upper left corner; `x` and `y` of boxes are their
 * center.
 */
export const apiGraphSchema = objectSchema({
  width: number,
  height: number,
  nodes: {
    type: 'array',
    items: objectSchema({
      id: {
        type: 'string',
        description: 'The path of the step, as in the steps of a run, without items and times.',
      },
      shape: { enum: ['start', 'end', 'card', 'pill', 'gate', 'fork', 'join'] },
      kind: text,
      title: text,
      name: { type: 'string', description: 'What people call it; steps without an id have one too.' },
      notes: { type: 'array', items: objectSchema({ kind: text, text }) },
      is_repeated: { type: 'boolean' },
      line: { type: ['integer', 'null'], description: 'Position of the step in the source.' },
      ...box,
    }),
  },
  frames: { type: 'array', items: objectSchema({ id: text, title: text, ...box }) },
  edges: {
    type: 'array',
    items: objectSchema({
      from: text,
      to: text,
      kind: { enum: ['sequence', 'branch', 'join', 'error', 'finally'] },
      label: textOrNull,
      points: { type: 'array', items: objectSchema({ x: number, y: number }) },
    }),
  },
})

export function graphView(playbook: Playbook): unknown {
  const { width, height, nodes, frames, edges } = layOut(toDrawing(toStepGraph(playbook)))
  return {
    width,
    height,
    nodes: nodes.map(({ node, x, y, width, height }) => ({
      id: node.id,
      shape: node.shape,
      kind: node.kind,
      title: node.title,
      name: node.name,
      notes: node.notes,
      is_repeated: node.isRepeated,
      line: node.line ?? null,
      x,
      y,
      width,
      height,
    })),
    frames: frames.map(({ frame, x, y, width, height }) => ({
      id: frame.id,
      title: frame.title,
      x,
      y,
      width,
      height,
    })),
    edges: edges.map(({ edge, points, label }) => ({
      from: edge.from,
      to: edge.to,
      kind: edge.kind,
      label: label === undefined ? null : (edge.label ?? null),
      points,
    })),
  }
}
