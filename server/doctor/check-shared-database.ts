import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { requireSealOf, versionOfSeal } from '../secrets/master-key-seal.ts'
import { loadMasterKey } from '../secrets/master-key.ts'
import { readOperatorSecret } from '../secrets/open-secret-sources.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import packageJson from '../../package.json' with { type: 'json' }
import type { NodeStore } from '../../core/ports/nodes/node-store.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { differingSettings, digestSettings, toldSettings } from '../config/shared-settings.ts'
import { checkAuditLog, checkClock, checkVersion } from './check-database.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

/**
 * Whether the database of TOCSIN_STORE can be reached, fits this version, has an unbroken audit log, a standby, the time of this machine and
 * its master key.
 *
 * @param now epoch milliseconds
 */
export async function checkSharedDatabase(config: Config, now: () => number): Promise<readonly Finding[]> {
  try {
    const address = await readOperatorSecret(config, 'TOCSIN_STORE', config.store)
    const { examinePostgres } = await import('../postgres/examine-postgres.ts')
    const { version, known, isBeside, audit, leadMs, newestAt, seal, ...server } = await examinePostgres(
      address?.reveal() ?? '',
      now,
    )
    const place = `PostgreSQL ${server.server} at ${server.address}`
    return [
      version === undefined
        ? ok('database', `${place}: no tables yet; the first start creates them`)
        : isBeside
          ? warning(
              'database',
              `${place}: upgraded by a newer Tocsin (version ${version}); this one still works beside it`,
              'finish the upgrade: install the newer Tocsin on this machine too',
            )
          : checkVersion(version, known, {
              state: `${place}: reachable`,
              backUp: 'pg_dump (docs/backup.md)',
            }),
      ...(audit === undefined ? [] : [checkAuditLog(audit)]),
      checkSharedClock(leadMs, newestAt, now()),
      checkReplication(server),
      checkSharedKey(config, seal),
    ]
  } catch (error) {
    return [problemOf('database', error, 'check TOCSIN_STORE')]
  }
}

/** Smaller differences do not matter; the answer of the database takes time, too. */
const toleratedMs = 1_000

function checkSharedClock(leadMs: number, newestAt: number | undefined, now: number): Finding {
  if (Math.abs(leadMs) <= toleratedMs) return checkClock(newestAt, now)
  const seconds = Math.round(Math.abs(leadMs) / 1000)
  return warning(
    'clock',
    `${seconds} s ${leadMs > 0 ? 'ahead of' : 'behind'} that of the database, which nodes use instead`,
    'synchronize the clocks of all machines by NTP',
  )
}

/** Compares the key with that of the other nodes; a key that is missing is not created. */
function checkSharedKey({ dataDir, masterKey }: Config, seal: Uint8Array | undefined): Finding {
  const check = 'master key'
  const hint = 'set TOCSIN_MASTER_KEY to the key of the other nodes'
  if (masterKey === undefined && !existsSync(join(dataDir, 'master.key')))
    return seal === undefined
      ? warning(
          check,
          'TOCSIN_MASTER_KEY is not set: the first start creates a key that other nodes do not have',
          'create one with openssl rand -base64 32, and set it on all nodes',
        )
      : problem(check, 'the database has a master key, but this node has none', hint)
  try {
    const key = loadMasterKey(
      dataDir,
      { TOCSIN_MASTER_KEY: masterKey?.reveal() },
      seal && versionOfSeal(seal),
    )
    if (seal === undefined) return ok(check, 'set; the first start seals the secrets with it: keep a copy')
    requireSealOf(createSecretBox(key), seal, 'the database', hint)
    return ok(check, 'opens the stored secrets, like that of the other nodes; keep a copy of it')
  } catch (error) {
    return problemOf(check, error, hint)
  }
}

function checkReplication({
  synchronousStandbys,
  standbys,
}: {
  readonly synchronousStandbys: string
  readonly standbys: number
}): Finding {
  const check = 'replication'
  const connected = `${standbys} ${standbys === 1 ? 'standby' : 'standbys'} connected`
  if (synchronousStandbys === '')
    return warning(
      check,
      `${connected}, none of them synchronous: a failover can lose acknowledged alerts`,
      'set synchronous_standby_names in PostgreSQL (docs/operations.md)',
    )
  return standbys === 0
    ? warning(
        check,
        `no standby connected, although synchronous_standby_names is '${synchronousStandbys}': writes wait`,
        'start the standby, or empty synchronous_standby_names until it is back',
      )
    : ok(check, `${connected}; commits wait for '${synchronousStandbys}'`)
}

/** Nodes whose last sign of life is older may have crashed together, so that none removed them. */
const aliveMs = 60_000

/** Compares the settings of this environment with those of each running node. */
export async function checkSharedSettings(
  config: Config,
  catalogue: Catalogue,
  nodes: Pick<NodeStore, 'list'>,
  now: number,
): Promise<readonly Finding[]> {
  const check = 'settings'
  const own = { program: packageJson.version, settings: digestSettings(config, catalogue) }
  const running = (await nodes.list()).filter(
    ({ gone, renewedAt }) => gone === null && now - renewedAt < aliveMs,
  )
  const differing = running.flatMap((node) => {
    const names = differingSettings(own, toldSettings(node))
    return names.length === 0 ? [] : [`the node ${node.name} differs in ${names.join(', ')}`]
  })
  if (running.length === 0) return []
  return differing.length === 0
    ? [ok(check, `the same as those of ${running.length} running ${running.length === 1 ? 'node' : 'nodes'}`)]
    : differing.map((difference) =>
        warning(
          check,
          difference,
          'set the same variables and install the same plugins on all nodes, and restart those that changed',
        ),
      )
}
