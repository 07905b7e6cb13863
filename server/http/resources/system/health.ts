import { UnavailableError } from '../../../../core/errors/errors.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { objectSchema } from './page.ts'

const healthz = defineRoute({
  method: 'GET',
  path: '/healthz',
  outsidePrefix: true,
  access: 'public',
  summary: 'The process responds.',
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
  summary:
    'The store accepts writes, and the server is not starting beside other nodes, draining or closing.',
  answer: objectSchema({ status: { const: 'ready' } }),
  async handle(_request, services) {
    if (services.closing.aborted) throw notReady('The server is closing.')
    if (services.draining.aborted) throw notReady('The server is draining: it stops soon.')
    if (!services.caughtUp.aborted)
      throw notReady('The server is starting: it reads what other nodes have changed.')
    await requireReady(services)
    return { body: { status: 'ready' } }
  },
})

/** A store that takes longer counts as unavailable. */
const probeTimeoutMs = 2_000

async function requireReady(services: Services): Promise<void> {
  const { clock, stores } = services
  const timer = new AbortController()
  const late = clock.sleep(probeTimeoutMs, timer.signal).then(() => Promise.reject(new Error('timed out')))
  try {
    // Free of cost, so always checked.
    const gone = stores.gone()
    if (gone) throw gone
    await Promise.race([keptProbe(services), late])
  } catch (error) {
    const known = error instanceof UnavailableError ? error : undefined
    const reason = known === undefined ? '' : `: ${known.message}`
    throw notReady(`The store does not accept writes${reason}.`, known?.hint)
  } finally {
    timer.abort()
    late.catch(() => undefined)
  }
}

function notReady(message: string, hint?: string): RequestError {
  return new RequestError('not_ready', message, { hint, headers: { 'retry-after': '5' } })
}

export const healthRoutes = [healthz, readyz]

interface Probe {
  readonly outcome: Promise<void>
  /** Monotonic milliseconds; undefined during the probe. */
  endedAt: number | undefined
}

/** How long a result is reused. */
const keptMs = 1_000

const probes = new WeakMap<Services['stores'], Probe>()

/**
 * Probes the store at most once a second, as a probe writes a megabyte and `readyz` is public. Logs each
 * failure once.
 */
function keptProbe({ stores, clock, log }: Pick<Services, 'stores' | 'clock' | 'log'>): Promise<void> {
  const elapsed = (): number => clock.monotonic?.() ?? clock.now()
  const last = probes.get(stores)
  if (last !== undefined && (last.endedAt === undefined || elapsed() - last.endedAt < keptMs))
    return last.outcome
  const probe: Probe = { outcome: stores.probe(), endedAt: undefined }
  probes.set(stores, probe)
  probe.outcome
    .catch((error: unknown) => log.warn({ error }, 'the store cannot write'))
    .finally(() => (probe.endedAt = elapsed()))
  return probe.outcome
}
