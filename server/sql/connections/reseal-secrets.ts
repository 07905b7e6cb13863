import type { Actor } from '../../../core/domain/audit.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { SecretBox, SecretPlace, SealedSecret } from '../../secrets/secret-box.ts'
import { recordAudit } from '../audit/audit-log.ts'
import type { Database } from '../database/database.ts'
import type { Work } from '../database/work.ts'
import { eventsTokenField } from './events-tokens.ts'
import { sealedColumns, sealedPrefix, SealedValues, type SealedColumn } from '../context/sealed-values.ts'

export interface ResealOptions {
  readonly from: SecretBox
  readonly to: SecretBox
  readonly version: number
  readonly by: Actor
  readonly clock: Pick<Clock, 'now'>
  /** Names the database in the audit log. */
  readonly data: string
}

interface SecretRow extends SecretPlace, Pick<SealedSecret, 'keyVersion'> {
  readonly row: number
  readonly bytes: Buffer
}

const secrets = (table: string, field: string): string => `
  SELECT s.connection_id AS row, o.uuid AS "organizationUuid", t.uuid AS "connectionUuid", ${field} AS field,
    s.key_version AS "keyVersion", s.sealed AS bytes
  FROM ${table} s JOIN connections t ON t.id = s.connection_id JOIN organizations o ON o.id = t.organization_id`

/**
 * Inside of a write: seals all secrets and sensitive values of runs with another key, and records it. Gives the number of secrets.
 *
 * @throws ConnectionError `secret_unreadable`
 */
export function* resealSecrets(
  database: Database,
  { from, to, version, by, clock, data }: ResealOptions,
): Work<number> {
  const ofConnections = yield* database.all<SecretRow>(secrets('connection_secrets', 's.field'))
  const tokens = yield* database.all<SecretRow>(secrets('events_tokens', `'${eventsTokenField}'`))
  for (const each of ofConnections) yield* reseal(database, each, 'connection_secrets', from, to)
  const signIns = yield* database.all<SecretRow>(secrets('sign_in_tokens', 's.field'))
  for (const each of tokens) yield* reseal(database, each, 'events_tokens', from, to)
  for (const each of signIns) yield* reseal(database, each, 'sign_in_tokens', from, to)
  yield* resealValues(database, from, to)
  const count = ofConnections.length + tokens.length + signIns.length
  yield* recordAudit(
    { database, clock },
    {
      action: 'master_key.rotated',
      by,
      organizationUuid: null,
      subject: { kind: 'data', id: data, name: 'master key' },
      details: { version, secrets: count },
    },
  )
  return count
}

function* reseal(
  database: Database,
  secret: SecretRow,
  table: string,
  from: SecretBox,
  to: SecretBox,
): Work<void> {
  const { organizationUuid, connectionUuid, field, row } = secret
  const place = { organizationUuid, connectionUuid, field }
  const { keyVersion, bytes } = to.seal(place, from.open(place, secret))
  const isOne = table === 'events_tokens' ? '' : 'AND field = ?'
  yield* database.run(
    `UPDATE ${table} SET key_version = ?, sealed = ? WHERE connection_id = ? ${isOne}`,
    keyVersion,
    bytes,
    row,
    ...(isOne === '' ? [] : [field]),
  )
}

interface SealedValue {
  readonly id: number
  readonly sealed: string
  readonly place: string
}

/** Values per read. */
const batch = 100

/** Inside of a write. */
function* resealValues(database: Database, from: SecretBox, to: SecretBox): Work<void> {
  const [old, next] = [new SealedValues(from), new SealedValues(to)]
  for (const { table, name, place, key } of Object.values<SealedColumn>(sealedColumns)) {
    const select = `SELECT ${key} AS id, ${name} AS sealed, ${place} AS place FROM ${table}
      WHERE ${key} > ? AND substr(${name}, 1, ${sealedPrefix.length}) = '${sealedPrefix}' ORDER BY ${key} LIMIT ?`
    for (let last = 0; ;) {
      const values = yield* database.all<SealedValue>(select, last, batch)
      for (const { id, sealed, place } of values) {
        const text = next.seal(old.open(sealed, place), place)
        yield* database.run(`UPDATE ${table} SET ${name} = ? WHERE ${key} = ?`, text, id)
      }
      if (values.length < batch) break
      last = values.at(-1)!.id
    }
  }
}
