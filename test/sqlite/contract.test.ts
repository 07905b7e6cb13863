import { storesContract } from '../contract/stores-contract.ts'
import { openTemporaryStores } from './open-stores.ts'

describe('SQLite stores', () => {
  storesContract(openTemporaryStores)
})
