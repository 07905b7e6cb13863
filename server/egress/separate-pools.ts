import type { Agent, ClientRequestArgs } from 'node:http'

/** Options of a request, and whose it is. */
type PooledOptions = ClientRequestArgs & { readonly pool?: string }

/**
 * Makes the agent keep the sockets of each pool apart. What one organization sends may leave something behind on a socket, in a
 * server or proxy that reads the bytes differently; the next request on it is then never another organization's.
 */
export function withSeparatePools<A extends Agent>(agent: A): A {
  const nameOf = agent.getName.bind(agent)
  agent.getName = (options?: PooledOptions) => `${nameOf(options)}:${options?.pool ?? ''}`
  return agent
}
