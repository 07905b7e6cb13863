import type { Config } from '../config/config.ts'
import { readOperatorSecret } from '../secrets/open-secret-sources.ts'
import { openStores } from '../store/open-stores.ts'
import { checkAuditLog, checkClock, checkVersion } from './check-database.ts'
import { ok, problemOf, warning, type Finding } from './finding.ts'

export interface SharedDatabaseOptions {
  /** Epoch milliseconds. */
  readonly now: number
  /** Whether opening the stores changes nothing in the data directory. */
  readonly canOpen: boolean
}

/** Whether the database of TOCSIN_STORE can be reached, fits this version, has an unbroken audit log, and has a standby. */
export async function checkSharedDatabase(
  config: Config,
  { now, canOpen }: SharedDatabaseOptions,
): Promise<readonly Finding[]> {
  try {
    const address = await readOperatorSecret(config, 'TOCSIN_STORE', config.store)
    const { examinePostgres } = await import('../postgres/examine-postgres.ts')
    const { version, known, isBeside, audit, newestAt, ...server } = await examinePostgres(
      address?.reveal() ?? '',
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
      checkClock(newestAt, now),
      checkReplication(server),
      ...(canOpen && audit !== undefined && version === known ? [await checkSharedKey(config)] : []),
    ]
  } catch (error) {
    return [problemOf('database', error, 'check TOCSIN_STORE')]
  }
}

/** Opens the stores, which compares the key with that of the other nodes. */
async function checkSharedKey(config: Config): Promise<Finding> {
  const check = 'master key'
  try {
    await (await openStores(config, 'shared')).close()
    return ok(check, 'opens the stored secrets, like that of the other nodes; keep a copy of it')
  } catch (error) {
    return problemOf(check, error, 'set TOCSIN_MASTER_KEY to the key of the other nodes')
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
