/**
 * Repeatedly deletes alerts of yesterday with their runs, while it stores new ones and prints their ids when
 * they are acknowledged.
 */
import { writeSync } from 'node:fs'
import type { PrunePlace } from '../../../core/ports/retention-store.ts'
import { openStoresIn } from '../../support/stores.ts'

const [dataDir = '', organizationUuid = ''] = process.argv.slice(2)
const day = 86_400_000
const clock = { now: () => Date.now() + 2 * day }
const stores = await openStoresIn(dataDir, { clock })

async function takeIn(): Promise<void> {
  for (;;) {
    const { id } = await stores.alerts.create({
      content: 'new',
      provider: 'SIEM',
      organizationUuid,
      type: null,
      createdAtSource: null,
      createdBy: organizationUuid,
    })
    writeSync(1, `${id}\n`)
  }
}

async function prune(): Promise<void> {
  let from: PrunePlace | undefined
  do {
    const rule = { before: clock.now() - day, setting: 'TOCSIN_KEEP_ALERTS_DAYS=1' }
    const { next } = await stores.retention.pruneAlerts(rule, from)
    from = next
  } while (from !== undefined)
}

void takeIn()
for (;;) await prune()
