import packageJson from '../../package.json' with { type: 'json' }
import type { AuditHead } from '../../core/domain/audit.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { defaultFileLimits, type FileLimits } from '../../core/transitions/case-files.ts'
import { masterKeyFact, requireSealOf, sealMasterKey, versionOfSeal } from '../secrets/master-key-seal.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { bytesOfFact } from '../sql/database/cursor-seal.ts'
import type { Database } from '../sql/database/database.ts'
import type { Transactions, Work } from '../sql/database/work.ts'
import { headOf } from '../sql/audit/audit-log.ts'
import { SealedValues } from '../sql/context/sealed-values.ts'
import { requireCursorKey, setFact } from '../sql/database/facts.ts'
import { Membership } from '../sql/nodes/node-store.ts'
import { assembleStores } from '../sql/stores.ts'
import { PostgresChanges } from './changes.ts'
import { parsePostgresAddress, showAddress } from './driver/address.ts'
import type { PostgresChannel } from './driver/channel.ts'
import { openPostgres, type PostgresOptions } from './open-postgres.ts'
import { createProbe } from './probe.ts'

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
}

/**
 * Connects to the database, and creates or migrates its tables.
 *
 * Throws what `openPostgres` and `requireSharedMasterKey` throw.
 */
export async function openPostgresStores(options: PostgresStoresOptions): Promise<PostgresStores> {
  const { clock, onAuditHead, secrets: boxOf, fileLimits, as = 'server', ...driver } = options
  const opened = await openPostgres({
    ...driver,
    program: packageJson.version,
    beforeCommit: () => membership.require(),
    onChanges(noted) {
      changes.committed(noted)
      if (onAuditHead !== undefined && /^audit /m.test(noted)) void tellHead().catch(() => undefined)
    },
  })
  const { database, transactions, channel } = opened
  const membership = new Membership(database)
  const changes = new PostgresChanges(database, transactions)
  const tellHead = async (): Promise<void> => {
    const head = await transactions.read(() => headOf(database))
    if (head !== undefined) onAuditHead?.(head)
  }
  try {
    const secrets = await requireSharedMasterKey(database, transactions, boxOf)
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
    return {
      place: showAddress(parsePostgresAddress(driver.address)),
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

/**
 * The first node stores the seal of its master key (`sealMasterKey`), and later nodes check theirs.
 *
 * @param boxOf finds the key of a version; undefined: the database has none yet
 * @throws ConflictError `master_key_mismatch`, and what `boxOf` throws
 */
async function requireSharedMasterKey(
  database: Database,
  transactions: Transactions,
  boxOf: (version: number | undefined) => SecretBox,
): Promise<SecretBox> {
  const read = () => database.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', masterKeyFact)
  let found = await transactions.read(read)
  if (found === undefined) {
    const box = boxOf(undefined)
    // Another node may have been first.
    found = await transactions.write(function* () {
      const earlier = yield* read()
      if (earlier === undefined) yield* setFact(database, masterKeyFact, sealMasterKey(box))
      return earlier
    })
    if (found === undefined) return box
  }
  const seal = bytesOfFact(found.value)
  const box = boxOf(versionOfSeal(seal))
  const hint =
    'Set TOCSIN_MASTER_KEY to the key of the other nodes, or of the server whose data was moved here.'
  requireSealOf(box, seal, 'the database', hint)
  return box
}
