/**
 * Writes alerts until the disk is full (simulated by a limit on file sizes) and prints, as JSON lines: each
 * acknowledged id, the first refusals, and what can still be read.
 */
import { writeSync } from 'node:fs'
import { openStoresIn } from '../../support/stores.ts'

const [dataDir = '', organizationUuid = ''] = process.argv.slice(2)
const stores = await openStoresIn(dataDir)
const print = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`)

let refusals = 0
while (refusals < 3) {
  const group = Array.from({ length: 4 }, () =>
    stores.alerts.create({
      content: 'x'.repeat(20_000),
      provider: 'SIEM',
      organizationUuid,
      type: 'phishing',
      createdAtSource: null,
      createdBy: organizationUuid,
    }),
  )
  const outcomes = await Promise.allSettled(group)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') print({ acknowledged: outcome.value.id })
    else print({ refused: (outcome.reason as { code: unknown }).code })
  }
  if (outcomes.some(({ status }) => status === 'rejected')) refusals += 1
}
print({ readable: (await stores.alerts.list('all', {}, { limit: 1 })).total })
process.kill(process.pid, 'SIGKILL')
