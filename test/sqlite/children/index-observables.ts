/** Indexes the observables of a data directory, and prints a line after each stored batch. */
import { writeSync } from 'node:fs'
import { createObservableIndexer } from '../../../core/observable/observable-indexer.ts'
import { openStoresIn } from '../../support/stores.ts'
import { extracting } from '../../observable/extracting-catalogue.ts'

const [dataDir = ''] = process.argv.slice(2)
const clock = { now: () => Date.now() + 86_400_000, sleep: async () => {} }
const stores = await openStoresIn(dataDir, { clock, onCommit: () => void writeSync(1, 'stored\n') })
// Alerts are indexed after they have settled in the lists.
await stores.alerts.list('all', { type: 'phishing' }, { limit: 1 })
const log = { debug() {}, info() {}, warn() {}, error() {} }
await createObservableIndexer({ stores, catalogue: extracting, clock, log }).catchUp()
await stores.close()
