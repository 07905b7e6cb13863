import packageJson from '../../package.json' with { type: 'json' }
import type { Actor, AuditHead } from '../../core/domain/audit.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { defaultFileLimits, type FileLimits } from '../../core/transitions/case-files.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Database } from '../sql/database/database.ts'
import type { Work } from '../sql/database/work.ts'
import { headOf } from '../sql/audit/audit-log.ts'
import { SealedValues } from '../sql/context/sealed-values.ts'
import { requireCursorKey } from '../sql/database/facts.ts'
import { Membership } from '../sql/nodes/node-store.ts'
import { assembleStores } from '../sql/stores.ts'
import { PostgresChanges } from './changes.ts'
import { parsePostgresAddress, showAddress } from './driver/address.ts'
import type { PostgresChannel } from './driver/channel.ts'
import { openPostgres, type PostgresOptions } from './open-postgres.ts'
import { createProbe } from './probe.ts'
import { SharedMasterKey, type SharedRotation } from './shared-master-key.ts'

export interface PostgresStoresOptions extends Pick<
  PostgresOptions,
  'address' | 'readAddress' | 'onCommit' | 'maxQueued' | 'onOutage' | 'onTime'
> {
  /** The master key of this version; undefined: the database has none yet. */
  readonly secrets: (keyVersion: number | undefined) => SecretBox
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** `server` (default) for a node, which indexes in the background. `command` for commands beside the nodes. */
  readonly as?: 'server' | 'command'
  /** Those that are absent are `defaultFileLimits`. */
  readonly fileLimits?: Partial<FileLimits> | undefined
  /** Called with the newest audit entry after its commit. */
  readonly onAuditHead?: ((head: AuditHead) => void) | undefined
}

/** The stores of one node, and its channel to the others. */
export interface PostgresStores {
  /** Address of the database, for people. */
  readonly place: string
  readonly stores: Stores
  readonly channel: PostgresChannel
  /** While no node runs, see `SharedMasterKey.rotate`. */
  readonly rotateMasterKey: (to: SharedRotation['to'], by: Actor) => Promise<number>
}

/**
 * Connects to the database, and creates or migrates its tables.
 *
 * Throws what `openPostgres` and `SharedMasterKey.open` throw.
 */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  const { clock, onAuditHead, secrets: boxOf, fileLimits, as = 'server', ...driver } = options
  const opened = await openPostgres({
    ...driver,
    program: packageJson.version,
    beforeCommit: () => (membership.hasJoined ? membership.require() : masterKey.require()),
    onChanges(noted) {
      changes.committed(noted)
      if (onAuditHead !== undefined && /^audit /m.test(noted)) void tellHead().catch(() => undefined)
    },
  })
  const { database, transactions, channel } = opened
  const membership = new Membership(database)
  const masterKey = new SharedMasterKey(database, transactions)
  const changes = new PostgresChanges(database, transactions)
  const tellHead = async (): Promise<void> => {
    const head = await transactions.read(() => headOf(database))
    if (head !== undefined) onAuditHead?.(head)
  }
  try {
    const secrets = await masterKey.open(boxOf)
    database.sealed = new SealedValues(secrets)
    await transactions.write(() => requireCursorKey(database))
    const probe = createProbe({ database, transactions }, clock)
    const stores = assembleStores(
      { database, transactions, clock },
      {
        secrets,
        changes,
        membership,
        fileLimits: { ...defaultFileLimits, ...fileLimits },
        isIndexing: as === 'server',
      },
    )
    const place = showAddress(parsePostgresAddress(driver.address))
    return {
      place,
      rotateMasterKey: (to, by) => masterKey.rotate({ to, by, clock, place }),
      channel,
      stores: {
        ...stores,
        async probe() {
          await probe()
          const failure = opened.noSpace()
          if (failure !== undefined) throw failure
        },
        databaseBytes: () => transactions.read(() => sizeOf(database)),
        gone: () => membership.lost,
        forgetConfiguration: () => database.distrustRevision(),
        async close() {
          await stores.close()
          await changes.idle()
          await opened.close()
        },
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

function* sizeOf(database: Database): Work<number> {
  return (yield* database.one<{ bytes: number }>('SELECT pg_database_size(current_database()) AS bytes'))
    .bytes
}
