import type { Services } from '../routing/route.ts'

interface Probe {
  /** What came of it. */
  readonly outcome: Promise<void>
  /** Milliseconds of the monotonic clock; undefined while it is under way. */
  endedAt: number | undefined
}

/** So long an answer is as good as a new one, in milliseconds. */
const keptMs = 1_000

const probes = new WeakMap<Services['stores'], Probe>()

/**
 * Probes the store, at most once a second, whatever comes of it: a probe writes a megabyte, and anybody may ask for one, as often as they
 * like. A failure is logged once.
 */
export function keptProbe({ stores, clock, log }: Pick<Services, 'stores' | 'clock' | 'log'>): Promise<void> {
  const elapsed = (): number => clock.monotonic?.() ?? clock.now()
  const last = probes.get(stores)
  if (last !== undefined && (last.endedAt === undefined || elapsed() - last.endedAt < keptMs))
    return last.outcome
  const probe: Probe = { outcome: stores.probe(), endedAt: undefined }
  probes.set(stores, probe)
  probe.outcome
    .catch((error: unknown) => log.warn({ error }, 'the store does not take writes'))
    .finally(() => (probe.endedAt = elapsed()))
  return probe.outcome
}
