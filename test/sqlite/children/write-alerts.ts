/**
 * Writes many alerts concurrently, and prints the id of each when it is acknowledged. Without end, or until
 * `most` are acknowledged: then it ends as with kill -9.
 */
import { writeSync } from 'node:fs'
import { openStoresIn } from '../../support/stores.ts'

const [dataDir = '', organizationUuid = '', callers = '1', most = 'Infinity'] = process.argv.slice(2)
let left = Number(most)
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
    if (--left <= 0) process.kill(process.pid, 'SIGKILL')
  }
}

await Promise.all(Array.from({ length: Number(callers) }, call))
