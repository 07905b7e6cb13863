import type { Actor } from '../../../core/domain/audit.ts'
import type { Connection, ConnectionFailure, ConnectionNote } from '../../../core/domain/connection.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { Secret } from '../../../core/plugin/index.ts'
import type {
  ConnectionChanges,
  ConnectionStore,
  NewConnection,
  OpenConnection,
  StoredConnection,
} from '../../../core/ports/connection-store.ts'
import type { Scope, SeenRevision } from '../../../core/ports/common.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { changedFields, recordConnection } from './audit-connection.ts'
import { foldName, toJson } from '../database/columns.ts'
import {
  requireConnectionRow,
  selectConnection,
  toConnection,
  type ConnectionRow,
} from './connection-rows.ts'
import { connectionRowOf, makeEventsToken, readEventsToken, removeEventsToken } from './events-tokens.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { whereAll } from '../database/paging.ts'
import { requireRevision } from '../context/revision.ts'
import { scopeConditions } from '../context/scope.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import type { StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

interface SecretRow {
  readonly field: string
  readonly keyVersion: number
  readonly bytes: Buffer
}

const selectByName = `${selectConnection} WHERE o.uuid = ? AND t.folded_name = ?`

export class SqliteConnectionStore implements ConnectionStore {
  readonly #context: StoreContext
  readonly #secretBox: SecretBox

  constructor(context: StoreContext, secretBox: SecretBox) {
    this.#context = context
    this.#secretBox = secretBox
  }

  create(organizationUuid: string, given: NewConnection, by: Actor): Promise<Connection> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      const now = clock.now()
      const uuid = makeUuid(now)
      const row = this.#insert(organizationUuid, given, uuid, now)
      this.#insertSecrets(row, organizationUuid, uuid, given.secrets)
      makeEventsToken(database, this.#secretBox, row, { organizationUuid, connectionUuid: uuid })
      const created = toConnection(database.one<ConnectionRow>(`${selectConnection} WHERE t.id = ?`, row))
      recordConnection(this.#context, 'connection.created', created, by, {
        settings: Object.keys(given.settings),
        secrets: Object.keys(given.secrets),
      })
      return created
    })
  }

  list(scope: Scope): Promise<readonly Connection[]> {
    const { database } = this.#context
    const conditions = scopeConditions(scope, 't.organization_id')
    const values = conditions.flatMap((condition) => condition.values)
    return database.read(() =>
      database.cache.get(`connections ${JSON.stringify(scope)}`, () =>
        database
          .all<ConnectionRow>(
            `${selectConnection} ${whereAll(conditions)} ORDER BY t.folded_name, t.id`,
            ...values,
          )
          .map(toConnection),
      ),
    )
  }

  open(organizationUuid: string, name: string): Promise<OpenConnection | undefined> {
    const { database } = this.#context
    const foldedName = foldName(name)
    return database.read(() =>
      database.cache.get(`connection ${organizationUuid} ${foldedName}`, () =>
        this.#opened(database.get<ConnectionRow>(selectByName, organizationUuid, foldedName)),
      ),
    )
  }

  update(
    organizationUuid: string,
    uuid: string,
    given: ConnectionChanges | ((stored: StoredConnection) => ConnectionChanges),
    revision: SeenRevision,
    by: Actor,
  ): Promise<Connection> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      const { id, ...before } = requireConnectionRow(database, organizationUuid, uuid)
      requireRevision(before.revision, revision)
      const connection = toConnection({ id, ...before })
      const secrets = () => this.#openSecrets({ id, ...before })
      const changes = typeof given === 'function' ? given({ connection, secrets }) : given
      const isEdit = changes.settings !== undefined || changes.secrets !== undefined
      database.run(
        'UPDATE connections SET settings = ?, enabled = ?, secrets_at = ?, broken = ?, warning = ?, last_failure = ?, modified_at = ?, revision = revision + 1 WHERE id = ?',
        changes.settings === undefined ? before.settings : toJson(changes.settings),
        changes.enabled === undefined ? before.enabled : Number(changes.enabled),
        changes.secrets === undefined ? before.secretsAt : enteredAt(changes.secrets, clock.now()),
        isEdit ? null : before.broken,
        isEdit ? null : before.warning,
        isEdit ? null : before.lastFailure,
        clock.now(),
        id,
      )
      if (changes.secrets !== undefined) {
        database.run('DELETE FROM connection_secrets WHERE connection_id = ?', id)
        this.#insertSecrets(id, organizationUuid, uuid, changes.secrets)
      }
      const changed = toConnection(requireConnectionRow(database, organizationUuid, uuid))
      const details = changedFields(connection, changes)
      recordConnection(this.#context, 'connection.changed', changed, by, details)
      return changed
    })
  }

  async remove(organizationUuid: string, uuid: string, revision: SeenRevision, by: Actor): Promise<void> {
    const { database, commits } = this.#context
    await commits.writeConfiguration(() => {
      const { id, ...row } = requireConnectionRow(database, organizationUuid, uuid)
      requireRevision(row.revision, revision)
      recordConnection(this.#context, 'connection.removed', toConnection({ id, ...row }), by)
      database.run('DELETE FROM connection_secrets WHERE connection_id = ?', id)
      database.run('DELETE FROM inbound_calls WHERE connection_id = ?', id)
      removeEventsToken(database, id)
      database.run('DELETE FROM connections WHERE id = ?', id)
    })
  }

  async eventsToken(organizationUuid: string, connectionUuid: string): Promise<Secret> {
    const { database, commits } = this.#context
    const owner = { organizationUuid, connectionUuid }
    const read = (): Secret | undefined => {
      const { id } = requireConnectionRow(database, organizationUuid, connectionUuid)
      return readEventsToken(database, this.#secretBox, id, owner)
    }
    const found = await database.read(read)
    if (found !== undefined) return found
    return await commits.writeConfiguration(() => {
      const { id } = requireConnectionRow(database, organizationUuid, connectionUuid)
      return read() ?? makeEventsToken(database, this.#secretBox, id, owner)
    })
  }

  rotateEventsToken(organizationUuid: string, connectionUuid: string, by: Actor): Promise<Connection> {
    const { database, commits } = this.#context
    return commits.writeConfiguration(() => {
      const row = requireConnectionRow(database, organizationUuid, connectionUuid)
      removeEventsToken(database, row.id)
      makeEventsToken(database, this.#secretBox, row.id, { organizationUuid, connectionUuid })
      const connection = toConnection(row)
      recordConnection(this.#context, 'connection.token_rotated', connection, by)
      return connection
    })
  }

  openByEventsToken(token: string): Promise<OpenConnection | undefined> {
    const { database } = this.#context
    return database.read(() => {
      const id = connectionRowOf(database, token)
      return id === undefined
        ? undefined
        : this.#opened(database.get(`${selectConnection} WHERE t.id = ?`, id))
    })
  }

  works(
    organizationUuid: string,
    uuid: string,
    { asOf, warning: reason }: Parameters<ConnectionStore['works']>[2],
    by: Actor,
  ): Promise<Connection> {
    const { database, commits } = this.#context
    return commits.writeConfiguration(() => {
      const { id, ...row } = requireConnectionRow(database, organizationUuid, uuid)
      const { broken, warning, lastFailure } = toConnection({ id, ...row })
      const isOver = (note: ConnectionNote | ConnectionFailure | null) => note !== null && note.at <= asOf
      database.run(
        'UPDATE connections SET broken = ?, warning = ?, last_failure = ? WHERE id = ?',
        isOver(broken) ? null : row.broken,
        reason !== null ? toJson({ reason, at: asOf }) : isOver(warning) ? null : row.warning,
        isOver(lastFailure) ? null : row.lastFailure,
        id,
      )
      const found = toConnection(requireConnectionRow(database, organizationUuid, uuid))
      recordConnection(this.#context, 'connection.authenticated', found, by)
      return found
    })
  }

  async used(organizationUuid: string, uuid: string, failure: ConnectionFailure | null): Promise<void> {
    const { database, commits } = this.#context
    await commits.writeConfiguration(() => {
      database.run(
        `UPDATE connections SET last_failure = ?
           WHERE uuid = ? AND organization_id = (SELECT id FROM organizations WHERE uuid = ?)`,
        failure && toJson(failure),
        uuid,
        organizationUuid,
      )
    })
  }

  #opened(row: ConnectionRow | undefined): OpenConnection | undefined {
    return row && { connection: toConnection(row), secrets: this.#openSecrets(row) }
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
        `INSERT INTO connections (uuid, organization_id, name, folded_name, plugin, settings, enabled, secrets_at,
           created_at, modified_at) VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`,
        uuid,
        organization.id,
        given.name,
        foldName(given.name),
        given.plugin,
        toJson(given.settings),
        enteredAt(given.secrets, now),
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

const enteredAt = (secrets: NewConnection['secrets'], now: number): number | null =>
  Object.keys(secrets).length === 0 ? null : now
