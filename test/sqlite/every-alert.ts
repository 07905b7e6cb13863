import type { Alert } from '../../core/domain/alert.ts'
import type { Stores } from '../../core/ports/stores.ts'

/** All alerts with their contents, newest first. */
export async function everyAlert(stores: Stores): Promise<Alert[]> {
  const alerts: Alert[] = []
  let cursor: string | undefined
  do {
    const page = await stores.alerts.list('all', {}, { limit: 200, cursor, contentBytes: 1_048_576 })
    alerts.push(...(page.data as readonly Alert[]))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return alerts
}
