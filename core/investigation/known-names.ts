import type { KnownNames } from '../playbook/scope/context.ts'
import type { Scope, Stores } from '../ports.ts'

/** The names that playbooks can say where they run for these organizations. A connection that is switched off is one too. */
export async function knownNames(
  { connections, providers }: Pick<Stores, 'connections' | 'providers'>,
  scope: Scope,
): Promise<KnownNames> {
  const [known, all] = await Promise.all([connections.list(scope), providers.list()])
  return {
    connections: known.map(({ name, plugin }) => ({ name, plugin })),
    providers: all.map(({ code }) => code),
  }
}
