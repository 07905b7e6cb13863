/** Opens the stores, reports it, and keeps running. */
import { writeSync } from 'node:fs'
import { openStoresIn } from '../../support/stores.ts'

const [dataDir = ''] = process.argv.slice(2)
await openStoresIn(dataDir)
writeSync(1, 'open\n')
setInterval(() => undefined, 60_000)
