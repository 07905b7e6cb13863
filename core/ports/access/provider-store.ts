import type { Actor } from '../../domain/audit.ts'
import type { Provider } from '../../domain/organization.ts'
import type { SeenRevision } from '../common.ts'

export interface ProviderStore {
  list(): Promise<readonly Provider[]>
  /** Throws ConflictError `provider_exists`. */
  create(provider: CodeAndName, by: Actor): Promise<Provider>
  /** By code. Throws NotFoundError `provider_not_found`, ConflictError `revision_changed`. */
  rename(code: string, name: string, revision: SeenRevision, by: Actor): Promise<Provider>
}

export interface CodeAndName {
  readonly code: string
  readonly name: string
}
