import { setTimeout as sleep } from 'node:timers/promises'
import type { callApi, CallOptions } from '../../support/server/start-server.ts'

interface Nodes<Node> {
  readonly nodes: readonly Node[]
  call(node: Node, path: string, options?: CallOptions): ReturnType<typeof callApi>
}

/** Creates a connection of the plugin, with the name of the plugin, and waits until all nodes know it. */
export async function connectPlugin<Node>(
  cluster: Nodes<Node>,
  plugin: string,
  baseUrl: string,
): Promise<void> {
  const body = { organization_code: 'main', plugin, name: plugin, settings: { base_url: baseUrl } }
  const { status, body: made } = await cluster.call(cluster.nodes[0]!, '/connections', { body })
  if (status !== 201) throw new Error(`no connection: ${JSON.stringify(made)}`)
  // The other nodes learn of it within a second.
  if (cluster.nodes.length > 1) await sleep(2_000)
}
