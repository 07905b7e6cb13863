/** Writes alerts without end, many at once, and prints the id of each one when it has been acknowledged. */
import { writeSync } from 'node:fs'
import { openStoresIn } from '../open-stores.ts'

const [dataDir = '', organizationUuid = '', callers = '1'] = process.argv.slice(2)
const stores = await openStoresIn(dataDir)

async function call(): Promise<void> {
  for (;;) {
    const { id } = await stores.alerts.create({
      content: 'x'.repeat(2000),
      provider: 'SIEM',
      organizationUuid,
      type: 'phishing',
      createdAtSource: null,
      createdBy: organizationUuid,
    })
    writeSync(1, `${id}\n`)
  }
}

await Promise.all(Array.from({ length: Number(callers) }, call))
