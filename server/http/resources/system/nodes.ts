import { defineRoute } from '../../routing/route.ts'
import type { ListedNode } from '../../../nodes/node-list.ts'
import { objectSchema, text, time, timeOrNull } from './page.ts'

/** Null: not known, because the node is a standby, has just started, or is gone. */
const count = { type: ['integer', 'null'], minimum: 0 } as const

/** Answer of `GET nodes`. */
export const apiNodesSchema = objectSchema({
  data: {
    type: 'array',
    description: 'By start, with nodes that stopped or were lost within the last hour.',
    items: objectSchema({
      node_id: { ...text, description: 'New at each start.' },
      name: { ...text, description: 'Host and process id.' },
      version: { ...text, description: 'Version of Tocsin.' },
      role: {
        enum: ['active', 'draining', 'standby'],
        description:
          '`draining`: it stops and hands its runs over. `standby`: it takes over when the active one ends.',
      },
      state: {
        enum: ['ok', 'late', 'gone'],
        description: '`late`: it has not renewed its lease for 3 seconds. `gone`: it stopped, or was lost.',
      },
      started_at: time,
      lease_ms: {
        ...count,
        description:
          'Until its lease is over if it is not renewed; null: it has none, as it is not active or the only one.',
      },
      runs: { ...count, description: 'Runs in progress, of all organizations.' },
      queued: { ...count, description: 'Due runs in its memory.' },
      cpu_percent: { ...count, description: 'Of one core, over the last seconds.' },
      memory_bytes: count,
      last_error: {
        anyOf: [objectSchema({ at: time, message: text }), { type: 'null' }],
        description: 'The newest error in its log since its start.',
      },
      other_settings: {
        type: 'array',
        items: text,
        description:
          'What differs from the node that answers although all nodes must agree on it: variables, or the installed plugins.',
      },
      gone_at: timeOrNull,
      gone_reason: { enum: ['left', 'lost', null], description: '`lost`: it no longer renewed its lease.' },
    }),
  },
  waiting_for_newer: {
    type: 'array',
    description:
      'Active runs of all organizations that no node may continue, because a newer Tocsin had them last. They go on when a node of the version or a later one starts.',
    items: objectSchema({
      version: { ...text, description: 'Version of Tocsin.' },
      runs: { type: 'integer', minimum: 1, description: 'Counted every 30 seconds.' },
    }),
  },
})

function view({ report, gone, ...node }: ListedNode) {
  // Its last load says nothing any more; its last error may say why it is gone.
  const load = gone === null ? report : null
  return {
    node_id: node.id,
    name: node.name,
    version: node.program,
    role: node.role,
    state: node.state,
    started_at: node.startedAt,
    lease_ms: node.leaseLeftMs,
    runs: load?.runs ?? null,
    queued: load?.queued ?? null,
    cpu_percent: load?.cpuPercent ?? null,
    memory_bytes: load?.memoryBytes ?? null,
    last_error: report?.lastError ?? null,
    other_settings: [...node.otherSettings],
    gone_at: gone?.at ?? null,
    gone_reason: gone?.why ?? null,
  }
}

const listNodes = defineRoute({
  method: 'GET',
  path: '/nodes',
  access: 'engine:read',
  summary: 'The servers that work on the same data, those that stand by, and runs that wait for a newer one.',
  answer: apiNodesSchema,
  async handle(_request, services) {
    const { nodes, waiting } = await services.nodes()
    return { body: { data: nodes.map(view), waiting_for_newer: [...waiting] } }
  },
})

export const nodeRoutes = [listNodes]
