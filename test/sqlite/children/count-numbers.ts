/** Counts the numbers of a data directory, and prints a line after each stored batch. */
import { writeSync } from 'node:fs'
import { openStoresIn } from '../../support/stores.ts'

const [dataDir = ''] = process.argv.slice(2)
const stores = await openStoresIn(dataDir, { onCommit: () => void writeSync(1, 'stored\n') })
await stores.numbers.catchUp()
await stores.close()
