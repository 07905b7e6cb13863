import { UnavailableError } from '../../../core/errors/errors.ts'
import { RequestError } from '../request-error.ts'
import { defineRoute, type Services } from '../route.ts'
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
    await probe(services)
    return { body: { status: 'ready' } }
  },
})

/** Probes under way, by store: however many ask at once, the store makes one write for them. */
const probes = new WeakMap<Services['stores'], Promise<void>>()

/** A store that has not answered by then is as good as one that says no. */
const probeTimeoutMs = 2_000

async function probe({ stores, clock, log }: Services): Promise<void> {
  let running = probes.get(stores)
  if (running === undefined) {
    running = stores.probe().finally(() => probes.delete(stores))
    probes.set(stores, running)
  }
  const timer = new AbortController()
  const late = clock.sleep(probeTimeoutMs, timer.signal).then(() => Promise.reject(new Error('timed out')))
  try {
    await Promise.race([running, late])
  } catch (error) {
    log.warn({ error }, 'the store does not take writes')
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
