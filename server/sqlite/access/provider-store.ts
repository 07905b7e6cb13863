import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Provider } from '../../../core/domain/organization.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { CodeAndName, ProviderStore } from '../../../core/ports/access/provider-store.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { requireCode } from '../database/ids.ts'
import { requireRevision } from '../context/revision.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import type { StoreContext } from '../context/store-context.ts'

const select = 'SELECT code, name, revision, created_at AS createdAt FROM providers'

export class SqliteProviderStore implements ProviderStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  list(): Promise<readonly Provider[]> {
    const { database } = this.#context
    return database.read(() => database.all<Provider>(`${select} ORDER BY code`))
  }

  create({ code, name }: CodeAndName, by: Actor): Promise<Provider> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      requireCode(code)
      try {
        database.run(
          'INSERT INTO providers (code, name, created_at) VALUES (?, ?, ?)',
          code,
          name,
          clock.now(),
        )
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new ConflictError('provider_exists', `there is a provider with the code '${code}' already`)
      }
      const created = this.#require(code)
      this.#record('provider.created', created, by)
      return created
    })
  }

  rename(code: string, name: string, revision: SeenRevision, by: Actor): Promise<Provider> {
    const { database, commits } = this.#context
    return commits.writeConfiguration(() => {
      requireRevision(this.#require(code).revision, revision)
      database.run('UPDATE providers SET name = ?, revision = revision + 1 WHERE code = ?', name, code)
      const changed = this.#require(code)
      this.#record('provider.changed', changed, by)
      return changed
    })
  }

  #require(code: string): Provider {
    const found = this.#context.database.get<Provider>(`${select} WHERE code = ?`, code)
    if (found !== undefined) return found
    throw new NotFoundError('provider_not_found', `there is no provider with the code '${code}'`)
  }

  /** All organizations share the providers. */
  #record(action: AuditAction, { code, name }: Provider, by: Actor): void {
    const subject = { kind: 'provider', id: code, name: code } as const
    recordAudit(this.#context, { action, by, organizationUuid: null, subject, details: { name } })
  }
}
