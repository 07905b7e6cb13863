import { ConflictError } from '../../core/errors/errors.ts'
import type { Connector } from './driver/connector.ts'
import { postgresUnavailable } from './driver/errors.ts'

/**
 * Refuses a pooler that gives each transaction the next free connection, which breaks session settings, prepared statements and `LISTEN`.
 * Two sessions that are open at the same time then have the same process of PostgreSQL; not always while the pooler is busy.
 *
 * @throws ConflictError `database_unsupported`, UnavailableError `store_unavailable`
 */
export async function refusePooler(connector: Connector): Promise<void> {
  const open = () =>
    connector.openSession().catch((error: unknown) => {
      throw postgresUnavailable(error)
    })
  const processOf = async (session: Awaited<ReturnType<typeof open>>) =>
    (await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid
  const first = await open()
  try {
    const second = await open()
    try {
      if ((await processOf(first)) !== (await processOf(second))) return
    } finally {
      await second.end()
    }
  } finally {
    await first.end()
  }
  throw new ConflictError(
    'database_unsupported',
    'a pooler between Tocsin and PostgreSQL gives sessions each other’s connections',
    { hint: 'Name PostgreSQL itself in TOCSIN_STORE, or set pool_mode=session in PgBouncer.' },
  )
}
