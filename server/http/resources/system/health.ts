import { UnavailableError } from '../../../../core/errors/errors.ts'
import { keptProbe } from '../../limits/kept-probe.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema } from './page.ts'

const healthz = defineRoute({
  method: 'GET',
  path: '/healthz',
  outsidePrefix: true,
  access: 'public',
  summary: 'The process answers.',
  status: 200,
  answer: objectSchema({ status: { const: 'ok' } }),
  async handle() {
    return { body: { status: 'ok' } }
  },
})

const readyz = defineRoute({
  method: 'GET',
  path: '/readyz',
  outsidePrefix: true,
  access: 'public',
  summary: 'The store takes writes and the server is not about to close.',
  status: 200,
  answer: objectSchema({ status: { const: 'ready' } }),
  async handle(_request, services) {
    if (services.closing.aborted) throw notReady('The server is closing.')
    await requireReady(services)
    return { body: { status: 'ready' } }
  },
})

/** A store that has not answered by then is as good as one that says no. */
const probeTimeoutMs = 2_000

async function requireReady(services: Services): Promise<void> {
  const { clock, stores } = services
  const timer = new AbortController()
  const late = clock.sleep(probeTimeoutMs, timer.signal).then(() => Promise.reject(new Error('timed out')))
  try {
    // Costs nothing, so that nobody is told what is true no more.
    const gone = stores.gone()
    if (gone) throw gone
    await Promise.race([keptProbe(services), late])
  } catch (error) {
    const reason = error instanceof UnavailableError ? `: ${error.message}` : ''
    throw notReady(`The store does not take writes${reason}.`)
  } finally {
    timer.abort()
    late.catch(() => undefined)
  }
}

function notReady(message: string): RequestError {
  return new RequestError('not_ready', message, { headers: { 'retry-after': '5' } })
}

export const healthRoutes = [healthz, readyz]
