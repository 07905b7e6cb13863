import type { Work } from '../database/work.ts'
import type { Actor, AuditAction } from '../../../core/domain/audit.ts'
import type { Provider } from '../../../core/domain/organization.ts'
import { ConflictError, NotFoundError } from '../../../core/errors/errors.ts'
import type { CodeAndName, ProviderStore } from '../../../core/ports/access/provider-store.ts'
import type { SeenRevision } from '../../../core/ports/common.ts'
import { recordAudit } from '../audit/audit-log.ts'
import { insertNewRow } from '../context/rows.ts'
import { foldAscii } from '../database/columns.ts'
import { requireCode } from '../database/ids.ts'
import { requireRevision } from '../../../core/transitions/access.ts'
import { SqlStore } from '../context/store-context.ts'

const select = 'SELECT code, name, revision, created_at AS "createdAt" FROM providers'

export class SqlProviderStore extends SqlStore implements ProviderStore {
  list(): Promise<readonly Provider[]> {
    return this.read(() => this.database.all<Provider>(`${select} ORDER BY lower(code)`))
  }

  create({ code, name }: CodeAndName, by: Actor): Promise<Provider> {
    return this.writeConfiguration(function* () {
      requireCode(code)
      const given = { code, name, createdAt: this.clock.now() }
      if ((yield* insertNewRow(this.database, 'providers', given)) === undefined)
        throw new ConflictError('provider_exists', `a provider with the code '${code}' already exists`)
      const created = yield* this.#require(code)
      yield* this.#record('provider.created', created, by)
      return created
    })
  }

  rename(code: string, name: string, revision: SeenRevision, by: Actor): Promise<Provider> {
    return this.writeConfiguration(function* () {
      requireRevision((yield* this.#require(code)).revision, revision)
      yield* this.database.run(
        'UPDATE providers SET name = ?, revision = revision + 1 WHERE lower(code) = ?',
        name,
        foldAscii(code),
      )
      const changed = yield* this.#require(code)
      yield* this.#record('provider.changed', changed, by)
      return changed
    })
  }

  *#require(code: string): Work<Provider> {
    const found = yield* this.database.get<Provider>(`${select} WHERE lower(code) = ?`, foldAscii(code))
    if (found !== undefined) return found
    throw new NotFoundError('provider_not_found', `there is no provider with the code '${code}'`)
  }

  /** All organizations share the providers. */
  *#record(action: AuditAction, { code, name }: Provider, by: Actor): Work<void> {
    const subject = { kind: 'provider', id: code, name: code } as const
    yield* recordAudit(this.context, { action, by, organizationUuid: null, subject, details: { name } })
  }
}
