import { existsSync } from 'node:fs'
import { NotFoundError } from '../../core/errors/errors.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import type { TestCases } from '../../core/plugin/testing/index.ts'
import { noConnections } from '../../core/playbook-test/run/run-test.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { ReadableConnections } from '../../core/skill/connection/find-connection.ts'
import { createSkillCaller } from '../../core/skill/call/caller.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'
import { createTraffic } from '../../core/skill/http/traffic.ts'
import type { StateReader } from '../../core/state/memory-state.ts'
import { createStoredTokens, withSignIns } from '../../core/skill/sign-in/stored-tokens.ts'
import { createSecretResolver } from '../../core/skill/connection/secret-resolver.ts'
import { systemClock } from '../../server/clock.ts'
import { readConfig } from '../../server/config/config.ts'
import { processEnvironment } from '../../server/config/environment.ts'
import { codeOf } from '../../server/egress/allow-lists.ts'
import { createEgress } from '../../server/egress/egress.ts'
import { openSecretSources } from '../../server/secrets/open-secret-sources.ts'
import { createLog } from '../../server/log.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { printable } from '../output/printable.ts'

/** Makes real calls with the connections of the data directory, on cases in memory. */
export interface LiveSkills {
  /** There is no data directory: only skills without connection work. */
  readonly isOffline: boolean
  readonly organization: { readonly uuid: string; readonly code: string; readonly name: string }
  readonly log: Log
  /** Undefined if offline. */
  readonly connections: ReadableConnections | undefined
  /** What playbooks keep between runs. Undefined if offline. */
  readonly state: StateReader | undefined
  /** `cases` is read at each call: its organization determines case ids. */
  caller(catalogue: Catalogue, cases: TestCases): SkillCaller
  close(): Promise<void>
}

interface Wanted {
  /** The organization whose connections are used; undefined: the only one. */
  readonly organization: string | undefined
  /** Mocks replace connections. */
  readonly isMocked?: boolean
}

/**
 * Continues without connections if no data directory is configured and the default one is missing.
 *
 * @throws NotFoundError `data_dir_missing`, `organization_missing`, `organization_not_found`
 */
export async function openLiveSkills({ organization: code, isMocked = false }: Wanted): Promise<LiveSkills> {
  const config = readConfig(processEnvironment())
  if (!existsSync(config.dataDir)) {
    const isNamed = (process.env['TOCSIN_DATA_DIR'] ?? '').trim() !== '' || code !== undefined
    if (isMocked || !isNamed) return withoutConnections()
    throw new NotFoundError('data_dir_missing', `there is no data directory '${printable(config.dataDir)}'`, {
      hint: 'set TOCSIN_DATA_DIR to the data directory of your server; `tocsin serve` creates one',
    })
  }
  const stores = await openStores(config, 'shared')
  const egress = createEgress({
    allowPrivate: config.allowPrivateEgress,
    codeOf: codeOf(stores.organizations),
  })
  const log = createLog({ level: 'error' })
  const sources = openSecretSources({ config, codeOf: codeOf(stores.organizations), log })
  const close = async () => {
    sources.close()
    egress.close()
    await stores.close()
  }
  try {
    const organizations = await stores.organizations.list('all')
    const organization = chosen(organizations, code)
    const caller: LiveSkills['caller'] = (catalogue, cases) => {
      const traffic = createTraffic(systemClock)
      const calling = { catalogue, egress, clock: systemClock, traffic }
      // Beside a server, which renews the tokens.
      const signedIn = createStoredTokens({ ...calling, store: stores.signIns, isRenewing: false })
      return createSkillCaller({
        catalogue,
        stores: { connections: stores.connections, cases },
        performTask: createPerformTask(calling),
        secrets: withSignIns(createSecretResolver(sources), signedIn),
        log,
      })
    }
    return {
      isOffline: false,
      organization,
      log,
      connections: stores.connections,
      state: stores.state,
      caller,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function withoutConnections(): LiveSkills {
  const egress = createEgress({ allowPrivate: [] })
  const log = createLog({ level: 'error' })
  return {
    isOffline: true,
    organization: { uuid: '00000000-0000-4000-8000-00000000000a', code: 'demo', name: 'Demo' },
    log,
    connections: undefined,
    state: undefined,
    caller: (catalogue, cases) =>
      createSkillCaller({
        catalogue,
        stores: { connections: noConnections, cases },
        performTask: createPerformTask({ catalogue, egress, clock: systemClock }),
        log,
      }),
    close: async () => egress.close(),
  }
}

function chosen<T extends { readonly code: string }>(all: readonly T[], code: string | undefined): T {
  const codes = all.map((one) => one.code).join(', ')
  if (code === undefined && all.length > 1) {
    throw new NotFoundError('organization_missing', 'the data directory has several organizations', {
      hint: `add --organization <code>: ${codes}`,
    })
  }
  const found = all.find((one) => code === undefined || one.code.toLowerCase() === code.toLowerCase())
  if (found !== undefined) return found
  throw new NotFoundError(
    'organization_not_found',
    `no organization has the code '${printable(code ?? '')}'`,
    {
      hint: `organizations: ${codes}`,
    },
  )
}
