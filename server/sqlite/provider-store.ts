import type { Provider } from '../../core/domain/provider.ts'
import { ConflictError } from '../../core/errors/errors.ts'
import type { ProviderStore } from '../../core/ports.ts'
import { requireCode } from './ids.ts'
import { isUniqueViolation } from './storage-errors.ts'
import type { StoreContext } from './store-context.ts'

export class SqliteProviderStore implements ProviderStore {
  readonly #context: StoreContext

  constructor(context: StoreContext) {
    this.#context = context
  }

  list(): Promise<readonly Provider[]> {
    const { database } = this.#context
    return database.read(() =>
      database.all<Provider>('SELECT code, name, created_at AS createdAt FROM providers ORDER BY code'),
    )
  }

  create({ code, name }: { readonly code: string; readonly name: string }): Promise<Provider> {
    const { database, commits, clock } = this.#context
    return commits.writeConfiguration(() => {
      requireCode(code)
      const createdAt = clock.now()
      try {
        database.run('INSERT INTO providers (code, name, created_at) VALUES (?, ?, ?)', code, name, createdAt)
      } catch (error) {
        if (!isUniqueViolation(error)) throw error
        throw new ConflictError('provider_exists', `there is a provider with the code '${code}' already`)
      }
      return { code, name: name.toWellFormed(), createdAt }
    })
  }
}
