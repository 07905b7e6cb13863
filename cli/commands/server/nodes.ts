import { Command } from 'commander'
import type { Infer } from '../../../core/plugin/index.ts'
import type { apiNodesSchema } from '../../../server/http/resources/system/nodes.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { table } from '../../output/table.ts'
import { serverClient, urlOption } from '../../server-client.ts'

type Nodes = Infer<typeof apiNodesSchema>
type Told = Nodes['data'][number]
type Node = Omit<Told, 'other_settings'> & Partial<Pick<Told, 'other_settings'>>

interface NodesOptions {
  readonly json?: boolean
  readonly url?: string
}

export function nodesCommand(): Command {
  return new Command('nodes')
    .description('list the servers that work on the same data, and whether they are alive')
    .option('--json', 'print JSON')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the role reader. A node is late if it has not renewed its lease for
3 seconds, and gone after it stopped or was lost. The exit code is 1 if a node is late or was lost in the last hour, if
settings of nodes differ, or if runs wait for a node with a newer version.

Example:
  TOCSIN_KEY=toc_… tocsin nodes`,
    )
    .action(async ({ json, url }: NodesOptions) => {
      // Older servers do not tell everything.
      const answer = await serverClient(url).get<{ data: readonly Node[] } & Partial<Nodes>>('/nodes')
      const { data, waiting_for_newer: waiting = [] } = answer
      console.log(
        json === true
          ? JSON.stringify(answer, null, 2)
          : [nodeTable(data), ...data.flatMap(differenceOf), ...waiting.map(hintOf)].join('\n'),
      )
      if (
        waiting.length > 0 ||
        data.some(
          ({ state, gone_reason: why, other_settings: others = [] }) =>
            state === 'late' || why === 'lost' || others.length > 0,
        )
      )
        throw new Exit(exitCodes.failed)
    })
}

const nodeTable = (nodes: readonly Node[]): string =>
  table(
    ['NODE', 'VERSION', 'ROLE', 'STATE', 'SINCE', 'LEASE', 'RUNS', 'QUEUED', 'CPU', 'MEMORY', 'LAST ERROR'],
    nodes.map((node) => [
      printable(node.name),
      printable(node.version),
      node.state === 'gone' ? '–' : node.role,
      stateOf(node),
      new Date(node.started_at).toISOString(),
      node.lease_ms === null ? '–' : `${(node.lease_ms / 1000).toFixed(1)} s`,
      shown(node.runs),
      shown(node.queued),
      shown(node.cpu_percent, ' %'),
      node.memory_bytes === null ? '–' : `${Math.round(node.memory_bytes / 1_048_576)} MB`,
      node.last_error === null
        ? ''
        : printable(`${new Date(node.last_error.at).toISOString()} ${node.last_error.message}`),
    ]),
  )

const differenceOf = ({ name, other_settings: others = [] }: Node): readonly string[] =>
  others.length === 0
    ? []
    : [
        paint.bad(
          `${printable(name)} differs from the node that answered in ${printable(others.join(', '))}: set the same on all nodes.`,
        ),
      ]

const hintOf = ({ version, runs }: Nodes['waiting_for_newer'][number]): string =>
  paint.bad(
    `${runs === 1 ? '1 run waits' : `${runs} runs wait`} for Tocsin ${printable(version)} or later, which had ${runs === 1 ? 'it' : 'them'} last: start a node with it.`,
  )

function stateOf({ state, gone_reason: why }: Node): string {
  if (state === 'ok') return paint.good('ok')
  return state === 'late' ? paint.warn('late') : why === 'lost' ? paint.bad('lost') : paint.dim('left')
}

const shown = (value: number | null, unit = ''): string => (value === null ? '–' : `${value}${unit}`)
