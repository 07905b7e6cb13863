import type { ConnectionStore } from '../../ports/connection-store.ts'
import { chooseCalls } from '../../interface/choose-calls.ts'
import {
  createInterfaceCalls,
  type InterfaceCalls,
  type WantedCalls,
} from '../../interface/interface-calls.ts'
import { interfacePlugin } from '../../interface/interface-skills.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { Mocks } from '../read/playbook-test.ts'
import { stepReplies } from '../run/mocked-skills.ts'

export interface MockedInterfacesOptions {
  readonly catalogue: Catalogue
  readonly mocks: Mocks
  /** Name of a step in mocks, by its path in the journal. */
  readonly nameOf: (path: string) => string
  /** Connections besides those of mocked skills. Undefined: none, and an interface without a vendor is called itself. */
  readonly connections?: Pick<ConnectionStore, 'list'> | undefined
  /** Whether a step needs no call, such as a checkpoint with an answer. */
  readonly isAnswered?: ((name: string) => boolean) | undefined
  /** Called when skills of vendors were chosen. */
  readonly onChosen?: ((wanted: WantedCalls) => void) | undefined
}

/**
 * Interfaces for runs with mocks. A mock of the interface or of the step replaces the interface. A mock of a
 * skill counts as a connection with the name of its plugin.
 */
export function createMockedInterfaces(options: MockedInterfacesOptions): InterfaceCalls {
  const { catalogue, mocks, nameOf, connections } = options
  const stored = connections ?? { list: async () => [] }
  return {
    ...createInterfaceCalls(catalogue, stored),
    async choose(wanted) {
      const { of, path } = wanted
      const itself = { skill: `${interfacePlugin}.${of}`, connection: null }
      const isMocked = mocks.has(itself.skill) || stepReplies(mocks, path, nameOf(path)) !== undefined
      if (isMocked || options.isAnswered?.(nameOf(path)) === true) return [itself]
      const implementers = catalogue.implementing(of)
      const mocked = implementers.filter(({ name }) => mocks.has(name))
      const known = [...connectionsOf(mocked, wanted), ...(await stored.list([wanted.organizationUuid]))]
      if (mocked.length === 0 && connections === undefined) return [itself]
      const calls = chooseCalls({
        of,
        input: wanted.input,
        named: wanted.connection,
        implementers: mocked.length === 0 ? implementers : mocked,
        connections: known,
      })
      options.onChosen?.(wanted)
      return calls
    },
  }
}

/** The connection that a step names belongs to the only mocked plugin. */
function connectionsOf(
  mocked: ReturnType<Catalogue['implementing']>,
  { connection }: WantedCalls,
): readonly { readonly name: string; readonly plugin: string }[] {
  const plugins = [...new Set(mocked.map(({ plugin }) => plugin.name))]
  return plugins.map((plugin) => ({ name: plugins.length === 1 ? (connection ?? plugin) : plugin, plugin }))
}
