import { mapped, type Work } from '../database/work.ts'
import type { Actor } from '../../../core/domain/audit.ts'
import type { Connection, ConnectionFailure } from '../../../core/domain/connection.ts'
import { ConflictError } from '../../../core/errors/errors.ts'
import type { Secret } from '../../../core/plugin/index.ts'
import type {
  ConnectionChanges,
  ConnectionStore,
  NewConnection,
  OpenConnection,
  StoredConnection,
} from '../../../core/ports/connection-store.ts'
import type { OrganizationScope, SeenRevision } from '../../../core/ports/common.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { foldName, toJson } from '../database/columns.ts'
import {
  changedFields,
  recordConnection,
  requireConnectionRow,
  selectConnection,
  toConnection,
  type ConnectionRow,
} from './connection-rows.ts'
import { connectionRowOf, makeEventsToken, readEventsToken, removeEventsToken } from './events-tokens.ts'
import { discardSignIn } from './sign-in-store.ts'
import { requireOrganization } from '../access/organization-store.ts'
import { whereAll } from '../database/paging.ts'
import { insertNewRow, updateRow } from '../context/rows.ts'
import { notesAfterEdit, notesAfterTest } from '../../../core/transitions/connection.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { scopeConditions } from '../context/scope.ts'
import { SqlStore, type StoreContext } from '../context/store-context.ts'
import { makeUuid } from '../context/uuid.ts'

interface SecretRow {
  readonly field: string
  readonly keyVersion: number
  readonly bytes: Buffer
}

const selectByName = `${selectConnection} WHERE o.uuid = ? AND t.folded_name = ?`

export class SqlConnectionStore extends SqlStore implements ConnectionStore {
  readonly #secretBox: SecretBox

  constructor(context: StoreContext, secretBox: SecretBox) {
    super(context)
    this.#secretBox = secretBox
  }

  create(organizationUuid: string, given: NewConnection, by: Actor): Promise<Connection> {
    return this.writeConfiguration(function* () {
      const now = this.clock.now()
      const uuid = makeUuid(now)
      const row = yield* this.#insert(organizationUuid, given, uuid, now)
      yield* this.#insertSecrets(row, organizationUuid, uuid, given.secrets)
      yield* makeEventsToken(this.database, this.#secretBox, row, { organizationUuid, connectionUuid: uuid })
      const created = toConnection(
        yield* this.database.one<ConnectionRow>(`${selectConnection} WHERE t.id = ?`, row),
      )
      yield* recordConnection(this.context, 'connection.created', created, by, {
        settings: Object.keys(given.settings),
        secrets: Object.keys(given.secrets),
        ...(given.secretReferences && { secret_references: given.secretReferences }),
      })
      return created
    })
  }

  list(scope: OrganizationScope): Promise<readonly Connection[]> {
    const conditions = scopeConditions(scope, 't.organization_id')
    const values = conditions.flatMap((condition) => condition.values)
    const sql = `${selectConnection} ${whereAll(conditions)} ORDER BY t.folded_name, t.id`
    // Callers recognize an unchanged list by its identity.
    return this.read(() =>
      this.database.cache.get(`connections ${JSON.stringify(scope)}`, () =>
        mapped(this.database.all<ConnectionRow>(sql, ...values), toConnection),
      ),
    )
  }

  open(organizationUuid: string, name: string): Promise<OpenConnection | undefined> {
    const foldedName = foldName(name)
    return this.read(() =>
      this.database.cache.get(`connection ${organizationUuid} ${foldedName}`, () =>
        this.#openByName(organizationUuid, foldedName),
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
    return this.writeConfiguration(function* () {
      const { id, ...before } = yield* requireConnectionRow(this.database, organizationUuid, uuid)
      requireRevision(before.revision, revision)
      const connection = toConnection({ id, ...before })
      const secrets = yield* this.#sealedSecrets({ id, ...before })
      const changes = typeof given === 'function' ? given({ connection, secrets }) : given
      const notes = noteValues(notesAfterEdit(connection, changes))
      yield* updateRow(this.database, 'connections', id, {
        ...notes,
        settings: changes.settings && toJson(changes.settings),
        secretReferences: changes.secretReferences && toJson(changes.secretReferences),
        enabled: changes.enabled === undefined ? undefined : Number(changes.enabled),
        secretsAt: changes.secrets && enteredAt(changes.secrets, this.clock.now()),
        revision: before.revision + 1,
        modifiedAt: this.clock.now(),
      })
      if (changes.secrets !== undefined) {
        yield* this.database.run('DELETE FROM connection_secrets WHERE connection_id = ?', id)
        yield* this.#insertSecrets(id, organizationUuid, uuid, changes.secrets)
      }
      if (changes.discardSignIn === true) yield* discardSignIn(this.database, id)
      const changed = toConnection(yield* requireConnectionRow(this.database, organizationUuid, uuid))
      const details = changedFields(connection, changes)
      yield* recordConnection(this.context, 'connection.changed', changed, by, details)
      return changed
    })
  }

  async remove(organizationUuid: string, uuid: string, revision: SeenRevision, by: Actor): Promise<void> {
    await this.writeConfiguration(function* () {
      const { id, ...row } = yield* requireConnectionRow(this.database, organizationUuid, uuid)
      requireRevision(row.revision, revision)
      yield* recordConnection(this.context, 'connection.removed', toConnection({ id, ...row }), by)
      yield* this.database.run('DELETE FROM connection_secrets WHERE connection_id = ?', id)
      yield* discardSignIn(this.database, id)
      yield* this.database.run('DELETE FROM inbound_calls WHERE connection_id = ?', id)
      yield* removeEventsToken(this.database, id)
      yield* this.database.run('DELETE FROM connections WHERE id = ?', id)
    })
  }

  async eventsToken(organizationUuid: string, connectionUuid: string): Promise<Secret> {
    const owner = { organizationUuid, connectionUuid }
    const found = await this.read(function* () {
      const { id } = yield* requireConnectionRow(this.database, organizationUuid, connectionUuid)
      return yield* readEventsToken(this.database, this.#secretBox, id, owner)
    })
    if (found !== undefined) return found
    return await this.writeConfiguration(function* () {
      const { id } = yield* requireConnectionRow(this.database, organizationUuid, connectionUuid)
      const earlier = yield* readEventsToken(this.database, this.#secretBox, id, owner)
      return earlier ?? (yield* makeEventsToken(this.database, this.#secretBox, id, owner))
    })
  }

  rotateEventsToken(organizationUuid: string, connectionUuid: string, by: Actor): Promise<Connection> {
    return this.writeConfiguration(function* () {
      const row = yield* requireConnectionRow(this.database, organizationUuid, connectionUuid)
      yield* removeEventsToken(this.database, row.id)
      yield* makeEventsToken(this.database, this.#secretBox, row.id, { organizationUuid, connectionUuid })
      const connection = toConnection(row)
      yield* recordConnection(this.context, 'connection.token_rotated', connection, by)
      return connection
    })
  }

  openByEventsToken(token: string): Promise<OpenConnection | undefined> {
    return this.read(function* () {
      const id = yield* connectionRowOf(this.database, token)
      return id === undefined
        ? undefined
        : yield* this.#opened(yield* this.database.get(`${selectConnection} WHERE t.id = ?`, id))
    })
  }

  works(
    organizationUuid: string,
    uuid: string,
    test: Parameters<ConnectionStore['works']>[2],
    by: Actor,
  ): Promise<Connection> {
    return this.writeConfiguration(function* () {
      const row = yield* requireConnectionRow(this.database, organizationUuid, uuid)
      const tested = toConnection(row)
      const { account } = test
      const signIn = tested.signIn && account !== undefined ? { ...tested.signIn, account } : tested.signIn
      yield* updateRow(this.database, 'connections', row.id, {
        ...noteValues(notesAfterTest(tested, test)),
        signIn: signIn && toJson(signIn),
      })
      const found = toConnection(yield* requireConnectionRow(this.database, organizationUuid, uuid))
      yield* recordConnection(this.context, 'connection.authenticated', found, by)
      return found
    })
  }

  async used(organizationUuid: string, uuid: string, failure: ConnectionFailure | null): Promise<void> {
    await this.writeConfiguration(function* () {
      yield* this.database.run(
        `UPDATE connections SET last_failure = ?
           WHERE uuid = ? AND organization_id = (SELECT id FROM organizations WHERE uuid = ?)`,
        failure && toJson(failure),
        uuid,
        organizationUuid,
      )
    })
  }

  *#openByName(organizationUuid: string, foldedName: string): Work<OpenConnection | undefined> {
    return yield* this.#opened(
      yield* this.database.get<ConnectionRow>(selectByName, organizationUuid, foldedName),
    )
  }

  *#opened(row: ConnectionRow | undefined): Work<OpenConnection | undefined> {
    return row && { connection: toConnection(row), secrets: yield* this.#openSecrets(row) }
  }

  *#insertSecrets(
    row: number,
    organizationUuid: string,
    connectionUuid: string,
    secrets: NewConnection['secrets'],
  ) {
    for (const [field, secret] of Object.entries(secrets)) {
      const sealed = this.#secretBox.seal({ organizationUuid, connectionUuid, field }, secret)
      yield* this.database.run(
        'INSERT INTO connection_secrets (connection_id, field, key_version, sealed) VALUES (?, ?, ?, ?)',
        row,
        field,
        sealed.keyVersion,
        sealed.bytes,
      )
    }
  }

  *#insert(organizationUuid: string, given: NewConnection, uuid: string, now: number): Work<number> {
    const organization = yield* requireOrganization(this.database, organizationUuid)
    const row = yield* insertNewRow(this.database, 'connections', {
      uuid,
      organizationId: organization.id,
      name: given.name,
      foldedName: foldName(given.name),
      plugin: given.plugin,
      settings: toJson(given.settings),
      secretReferences: toJson(given.secretReferences ?? {}),
      enabled: 1,
      secretsAt: enteredAt(given.secrets, now),
      createdAt: now,
      modifiedAt: now,
    })
    if (row !== undefined) return row
    throw new ConflictError(
      'connection_exists',
      `the organization already has a connection '${given.name}'`,
      {
        hint: 'Names of connections are unique within an organization, ignoring case.',
      },
    )
  }

  *#openSecrets(row: ConnectionRow): Work<Readonly<Record<string, Secret>>> {
    return (yield* this.#sealedSecrets(row))()
  }

  /** The result decrypts them. */
  *#sealedSecrets(row: ConnectionRow): Work<() => Readonly<Record<string, Secret>>> {
    const rows = yield* this.database.all<SecretRow>(
      'SELECT field, key_version AS "keyVersion", sealed AS bytes FROM connection_secrets WHERE connection_id = ?',
      row.id,
    )
    const { organizationUuid, uuid: connectionUuid } = row
    // fromEntries defines own properties, including `__proto__`.
    return () =>
      Object.fromEntries(
        rows.map(({ field, ...sealed }) => [
          field,
          this.#secretBox.open({ organizationUuid, connectionUuid, field }, sealed),
        ]),
      )
  }
}

const noteValues = (notes: Pick<Connection, 'broken' | 'warning' | 'lastFailure'>) =>
  Object.fromEntries(Object.entries(notes).map(([note, value]) => [note, value && toJson(value)]))

const enteredAt = (secrets: NewConnection['secrets'], now: number): number | null =>
  Object.keys(secrets).length === 0 ? null : now
