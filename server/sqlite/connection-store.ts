import type { Connection } from '../../core/domain/connection.ts'
import { ConflictError, NotFoundError } from '../../core/errors/errors.ts'
import type { Secret } from '../../core/plugin/index.ts'
import type {
  ConnectionChanges,
  ConnectionStore,
  NewConnection,
  OpenConnection,
  Scope,
} from '../../core/ports.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { foldName, fromJson, toJson } from './columns.ts'
import type { Database } from './database.ts'
import { requireOrganization } from './organization-store.ts'
import { whereAll } from './paging.ts'
import { scopeConditions } from './scope.ts'
import { isUniqueViolation } from './storage-errors.ts'
import type { StoreContext } from './store-context.ts'
import { makeUuid } from './uuid.ts'

interface ConnectionRow extends Omit<Connection, 'settings' | 'enabled'> {
  readonly id: number
  readonly settings: string
  readonly enabled: number
}

interface SecretRow {
  readonly field: string
  readonly keyVersion: number
  readonly bytes: Buffer
}

const select = `
  SELECT t.id, t.uuid, o.uuid AS organizationUuid, t.name, t.plugin, t.settings, t.enabled, t.created_at AS createdAt,
    t.modified_at AS modifiedAt
  FROM connections t JOIN organizations o ON o.id = t.organization_id`

export class SqliteConnectionStore implements ConnectionStore {
  readonly #context: StoreContext
  readonly #secretBox: SecretBox

  constructor(context: StoreContext, secretBox: SecretBox) {
    this.#context = context
    this.#secretBox = secretBox
  }

  create(organizationUuid: string, given: NewConnection): Promise<Connection> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const now = clock.now()
      const uuid = makeUuid(now)
      const row = this.#insert(organizationUuid, given, uuid, now)
      this.#insertSecrets(row, organizationUuid, uuid, given.secrets)
      return toConnection(database.one<ConnectionRow>(`${select} WHERE t.id = ?`, row))
    })
  }

  list(scope: Scope): Promise<readonly Connection[]> {
    const { database } = this.#context
    const conditions = scopeConditions(scope, 't.organization_id')
    const values = conditions.flatMap((condition) => condition.values)
    return database.read(() =>
      database
        .all<ConnectionRow>(`${select} ${whereAll(conditions)} ORDER BY t.folded_name, t.id`, ...values)
        .map(toConnection),
    )
  }

  open(organizationUuid: string, name: string): Promise<OpenConnection | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const row = database.get<ConnectionRow>(
        `${select} WHERE o.uuid = ? AND t.folded_name = ?`,
        organizationUuid,
        foldName(name),
      )
      return row && { connection: toConnection(row), secrets: this.#openSecrets(row) }
    })
  }

  update(organizationUuid: string, uuid: string, changes: ConnectionChanges): Promise<Connection> {
    const { database, commits, clock } = this.#context
    return commits.write(() => {
      const { id, ...before } = requireRow(database, organizationUuid, uuid)
      database.run(
        'UPDATE connections SET settings = ?, enabled = ?, modified_at = ? WHERE id = ?',
        changes.settings === undefined ? before.settings : toJson(changes.settings),
        changes.enabled === undefined ? before.enabled : Number(changes.enabled),
        clock.now(),
        id,
      )
      if (changes.secrets !== undefined) {
        database.run('DELETE FROM connection_secrets WHERE connection_id = ?', id)
        this.#insertSecrets(id, organizationUuid, uuid, changes.secrets)
      }
      return toConnection(requireRow(database, organizationUuid, uuid))
    })
  }

  async remove(organizationUuid: string, uuid: string): Promise<void> {
    const { database, commits } = this.#context
    await commits.write(() => {
      const { id } = requireRow(database, organizationUuid, uuid)
      database.run('DELETE FROM connection_secrets WHERE connection_id = ?', id)
      database.run('DELETE FROM connections WHERE id = ?', id)
    })
  }

  #insertSecrets(
    row: number,
    organizationUuid: string,
    connectionUuid: string,
    secrets: NewConnection['secrets'],
  ) {
    for (const [field, secret] of Object.entries(secrets)) {
      const sealed = this.#secretBox.seal({ organizationUuid, connectionUuid, field }, secret)
      this.#context.database.run(
        'INSERT INTO connection_secrets (connection_id, field, key_version, sealed) VALUES (?, ?, ?, ?)',
        row,
        field,
        sealed.keyVersion,
        sealed.bytes,
      )
    }
  }

  #insert(organizationUuid: string, given: NewConnection, uuid: string, now: number): number {
    const { database } = this.#context
    const organization = requireOrganization(database, organizationUuid)
    try {
      return database.insert(
        `INSERT INTO connections (uuid, organization_id, name, folded_name, plugin, settings, enabled, created_at,
           modified_at) VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)`,
        uuid,
        organization.id,
        given.name,
        foldName(given.name),
        given.plugin,
        toJson(given.settings),
        now,
        now,
      )
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new ConflictError(
        'connection_exists',
        `the organization has a connection '${given.name}' already`,
        {
          hint: 'Names of connections are unique within an organization, ignoring case.',
        },
      )
    }
  }

  #openSecrets(row: ConnectionRow): Readonly<Record<string, Secret>> {
    const rows = this.#context.database.all<SecretRow>(
      'SELECT field, key_version AS keyVersion, sealed AS bytes FROM connection_secrets WHERE connection_id = ?',
      row.id,
    )
    const { organizationUuid, uuid: connectionUuid } = row
    // fromEntries defines own properties, so that a field named __proto__ stays plain data.
    return Object.fromEntries(
      rows.map(({ field, ...sealed }) => [
        field,
        this.#secretBox.open({ organizationUuid, connectionUuid, field }, sealed),
      ]),
    )
  }
}

/** Throws NotFoundError `connection_not_found`, also for a connection of another organization. */
function requireRow(database: Database, organizationUuid: string, uuid: string): ConnectionRow {
  const row = database.get<ConnectionRow>(`${select} WHERE t.uuid = ? AND o.uuid = ?`, uuid, organizationUuid)
  if (row === undefined) throw new NotFoundError('connection_not_found', `there is no connection ${uuid}`)
  return row
}

function toConnection(row: ConnectionRow): Connection {
  const { id: _, settings, enabled, ...rest } = row
  return { ...rest, settings: fromJson<Connection['settings']>(settings), enabled: enabled === 1 }
}
