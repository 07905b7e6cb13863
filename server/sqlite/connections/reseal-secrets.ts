import type { Actor } from '../../../core/domain/audit.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { SecretBox, SecretPlace, SealedSecret } from '../../secrets/secret-box.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { using } from '../file/backup-file.ts'
import type { Database } from '../database/database.ts'
import { eventsTokenField } from './events-tokens.ts'
import { sealCheck } from '../file/master-key-check.ts'
import { openDatabase } from '../file/open-database.ts'
import { sealedColumns, sealedPrefix, SealedValues, type SealedColumn } from '../context/sealed-values.ts'

export interface ResealOptions {
  readonly from: SecretBox
  readonly to: SecretBox
  readonly version: number
  readonly by: Actor
  readonly clock: Pick<Clock, 'now'>
}

interface SecretRow extends SecretPlace, Pick<SealedSecret, 'keyVersion'> {
  readonly row: number
  readonly bytes: Buffer
}

const secrets = (table: string, field: string): string => `
  SELECT s.connection_id AS row, o.uuid AS organizationUuid, t.uuid AS connectionUuid, ${field} AS field,
    s.key_version AS keyVersion, s.sealed AS bytes
  FROM ${table} s JOIN connections t ON t.id = s.connection_id JOIN organizations o ON o.id = t.organization_id`

/**
 * Seals all secrets and sensitive values of runs with another key, in one commit with the check of the key and the audit entry.
 * Overwrites the old values in the file. Gives the number of secrets.
 *
 * @throws ConnectionError `secret_unreadable`
 */
export function resealSecrets(path: string, { from, to, version, by, clock }: ResealOptions): number {
  openDatabase(path).close()
  return using(path, (database) => {
    database.pragma('synchronous = FULL')
    database.pragma('secure_delete = ON')
    database.script('BEGIN IMMEDIATE')
    const ofConnections = database.all<SecretRow>(secrets('connection_secrets', 's.field'))
    const tokens = database.all<SecretRow>(secrets('events_tokens', `'${eventsTokenField}'`))
    for (const each of ofConnections) reseal(database, each, 'connection_secrets', from, to)
    const signIns = database.all<SecretRow>(secrets('sign_in_tokens', 's.field'))
    for (const each of tokens) reseal(database, each, 'events_tokens', from, to)
    for (const each of signIns) reseal(database, each, 'sign_in_tokens', from, to)
    resealValues(database, from, to)
    sealCheck(database, to)
    const count = ofConnections.length + tokens.length + signIns.length
    recordAudit(
      { database, clock },
      {
        action: 'master_key.rotated',
        by,
        organizationUuid: null,
        subject: { kind: 'data', id: 'tocsin.db', name: 'master key' },
        details: { version, secrets: count },
      },
    )
    database.script('COMMIT')
    database.pragma('wal_checkpoint(TRUNCATE)')
    return count
  })
}

function reseal(database: Database, secret: SecretRow, table: string, from: SecretBox, to: SecretBox): void {
  const { organizationUuid, connectionUuid, field, row } = secret
  const place = { organizationUuid, connectionUuid, field }
  const { keyVersion, bytes } = to.seal(place, from.open(place, secret))
  const isOne = table === 'events_tokens' ? '' : 'AND field = ?'
  database.run(
    `UPDATE ${table} SET key_version = ?, sealed = ? WHERE connection_id = ? ${isOne}`,
    keyVersion,
    bytes,
    row,
    ...(isOne === '' ? [] : [field]),
  )
}

/** Inside of a write: seals all values again, one at a time. */
function resealValues(database: Database, from: SecretBox, to: SecretBox): void {
  const [old, next] = [new SealedValues(from), new SealedValues(to)]
  database.define('reseal', (text, place) => next.seal(old.open(String(text), String(place)), String(place)))
  for (const { table, name, place } of Object.values<SealedColumn>(sealedColumns)) {
    database.run(
      `UPDATE ${table} SET ${name} = reseal(${name}, ${place}) WHERE substr(${name}, 1, ${sealedPrefix.length}) = '${sealedPrefix}'`,
    )
  }
}
