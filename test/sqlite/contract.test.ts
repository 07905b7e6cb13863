import { storesContract } from '../contract/stores-contract.ts'
import { openTemporaryStores } from '../support/stores.ts'

describe('SQLite stores', () => {
  storesContract((clock) => openTemporaryStores({ clock }))
})
