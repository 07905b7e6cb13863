import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Provider } from '../../../core/domain/organization.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { CodeAndName, ProviderStore } from '../../../core/ports/access/provider-store.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { requireCode } from '../database/ids.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { isUniqueViolation } from '../database/storage-errors.ts'
import { SqliteStore } from '../context/store-context.ts'

const select = 'SELECT code, name, revision, created_at AS createdAt FROM providers'

export class SqliteProviderStore extends SqliteStore implements ProviderStore {
  list(): Promise<readonly Provider[]> {
    return this.database.read(() => this.database.all<Provider>(`${select} ORDER BY code`))
  }

  create({ code, name }: CodeAndName, by: Actor): Promise<Provider> {
    return this.commits.writeConfiguration(() => {
      requireCode(code)
      try {
        this.database.run(
          'INSERT INTO providers (code, name, created_at) VALUES (?, ?, ?)',
          code,
          name,
          this.clock.now(),
        )
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new ConflictError('provider_exists', `a provider with the code '${code}' already exists`)
      }
      const created = this.#require(code)
      this.#record('provider.created', created, by)
      return created
    })
  }

  rename(code: string, name: string, revision: SeenRevision, by: Actor): Promise<Provider> {
    return this.commits.writeConfiguration(() => {
      requireRevision(this.#require(code).revision, revision)
      this.database.run('UPDATE providers SET name = ?, revision = revision + 1 WHERE code = ?', name, code)
      const changed = this.#require(code)
      this.#record('provider.changed', changed, by)
      return changed
    })
  }

  #require(code: string): Provider {
    const found = this.database.get<Provider>(`${select} WHERE code = ?`, code)
    if (found !== undefined) return found
    throw new NotFoundError('provider_not_found', `there is no provider with the code '${code}'`)
  }

  /** All organizations share the providers. */
  #record(action: AuditAction, { code, name }: Provider, by: Actor): void {
    const subject = { kind: 'provider', id: code, name: code } as const
    recordAudit(this.context, { action, by, organizationUuid: null, subject, details: { name } })
  }
}
