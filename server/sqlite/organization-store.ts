import type { Organization } from '../../core/domain/organization.ts'
import { ConflictError, NotFoundError } from '../../core/errors/errors.ts'
import type { OrganizationStore, Scope } from '../../core/ports.ts'
import type { Database } from './database.ts'
import { requireCode } from './ids.ts'
import { whereAll } from './paging.ts'
import { scopeConditions } from './scope.ts'
import { isUniqueViolation } from './storage-errors.ts'
import type { StoreContext } from './store-context.ts'
import { makeUuid } from './uuid.ts'

export class SqliteOrganizationStore implements OrganizationStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  list(scope: Scope): Promise<readonly Organization[]> {
    const { database } = this.#context
    const conditions = scopeConditions(scope, 't.id')
    return database.read(() =>
      database.cache.get(`organizations ${JSON.stringify(scope)}`, () =>
        database.all<Organization>(
          `SELECT uuid, code, name, created_at AS createdAt FROM organizations t ${whereAll(conditions)} ORDER BY code`,
          ...conditions.flatMap(({ values }) => values),
        ),
      ),
    )
  }

  create({ code, name }: { readonly code: string; readonly name: string }): Promise<Organization> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      requireCode(code)
      const createdAt = clock.now()
      const uuid = makeUuid(createdAt)
      try {
        database.run(
          'INSERT INTO organizations (uuid, code, name, created_at) VALUES (?, ?, ?, ?)',
          uuid,
          code,
          name,
          createdAt,
        )
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new ConflictError(
          'organization_exists',
          `there is an organization with the code '${code}' already`,
        )
      }
      return { uuid, code, name: name.toWellFormed(), createdAt }
    })
  }
}

export interface OrganizationKey {
  readonly id: number
  readonly uuid: string
  readonly code: string
}

/** Throws NotFoundError `organization_not_found`. */
export function requireOrganization(database: Database, uuid: string): OrganizationKey {
  const row = database.cache.get(`organization ${uuid}`, () =>
    database.get<OrganizationKey>('SELECT id, uuid, code FROM organizations WHERE uuid = ?', uuid),
  )
  if (row === undefined) throw new NotFoundError('organization_not_found', `there is no organization ${uuid}`)
  return row
}
