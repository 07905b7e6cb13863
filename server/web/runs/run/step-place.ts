import type { Step } from '../../api/types.ts'
import type { Graph, GraphNode } from '../../graph/graph-types.ts'
import { nodeOf } from '../waterfall/node-marks.ts'

/** Where a step stands in a playbook. */
export interface StepPlace {
  /** Hash of its version. */
  readonly playbook: string
  readonly line: number
  /** Name of the playbook, where it is one that the run called. */
  readonly called?: string
}

/** The versions that a run settled for the playbooks that it called: hashes by names. */
export function calledVersions(steps: readonly Step[]): ReadonlyMap<string, string> {
  const versions = new Map<string, string>()
  for (const { path, output } of steps) {
    const { name, hash } = (output ?? {}) as { readonly name?: unknown; readonly hash?: unknown }
    if (typeof name === 'string' && typeof hash === 'string' && path === `@playbooks/${name}`)
      versions.set(name, hash)
  }
  return versions
}

/**
 * Where a step of a run stands: in its playbook, or in one that it called, however deep. Undefined where the graph of that one is
 * not there.
 *
 * @param graphs by the hashes of versions
 */
export function stepPlace(
  path: string,
  version: Omit<StepPlace, 'line'>,
  graphs: ReadonlyMap<string, Graph>,
  versions: ReadonlyMap<string, string>,
): StepPlace | undefined {
  const nodes = graphs.get(version.playbook)?.nodes ?? []
  const id = nodeOf(path)
  const own = nodes.find((node) => node.id === id)
  if (own !== undefined) return own.line === null ? undefined : { ...version, line: own.line }
  const call = nodes.find((node) => node.kind === 'call' && id.startsWith(`${node.id}/`))
  if (call === undefined) return undefined
  const called = playbookOf(call)
  const playbook = versions.get(called)
  return playbook === undefined
    ? undefined
    : stepPlace(id.slice(call.id.length + 1), { playbook, called }, graphs, versions)
}

/** The note of a call names the playbook, unless its title does. */
const playbookOf = ({ title, notes }: GraphNode): string =>
  notes.find(({ kind }) => kind === 'skill')?.text ?? title
