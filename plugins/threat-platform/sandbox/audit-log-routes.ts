import { objectsAt, textAt } from 'tocsin/plugin'
import type { SandboxHandler } from 'tocsin/plugin/testing'
import { failed } from './answer.ts'
import { fixture } from './fixture.ts'

const day = /^\d{4}-\d{2}-\d{2}$/

/** GET the audit logs, of whole days. */
export const auditLogs: SandboxHandler = ({ query }) => {
  const start = query.get('start_date') ?? '1970-01-01'
  const end = query.get('end_date') ?? '9999-12-31'
  if (!day.test(start) || !day.test(end)) return failed(400, 'dates are written as YYYY-MM-DD')
  const asked = Number(query.get('limit') ?? 100)
  const page = Number(query.get('page') ?? 1)
  if (!(asked >= 1)) return failed(400, 'limit begins with 1')
  // As with incidents; nothing in the answer tells.
  const limit = Math.min(asked, 100)
  const fitting = objectsAt(fixture('audit-logs'), 'data').filter((record) => {
    const date = textAt(record, 'timestamp')?.slice(0, 10) ?? ''
    return date >= start && date <= end
  })
  return { json: { success: true, data: fitting.slice((page - 1) * limit, page * limit) } }
}
