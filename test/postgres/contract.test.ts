import { storesContract } from '../contract/stores-contract.ts'
import { describePostgres } from '../support/postgres.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'

describePostgres('PostgreSQL stores', () => {
  storesContract((clock) => openTemporaryPostgresStores({ clock }))
})
