import type { Run } from '../../core/domain/run.ts'
import type { JournalStore } from '../../core/ports/runs/journal-store.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { createDirectory } from '../http/caller/directory.ts'
import type { TraceSettings } from './trace-settings.ts'
import { spansOfRun, type RunSpan } from './run-spans.ts'

/** Tells a collector of runs that have ended. */
export interface Tracing {
  /** Never throws; what cannot be told is logged and left out. */
  runEnded(run: Run): void
  /** Sends what is left, for a few seconds at most. */
  close(): Promise<void>
}

export interface TracingOptions {
  readonly stores: Pick<Stores, 'organizations' | 'providers'> & {
    readonly journal: Pick<JournalStore, 'excerpt'>
  }
  readonly log: Log
  /** Of how many runs is told, from 0 to 1: chosen by their ids. */
  readonly ratio: number
  /** Sent with each export. Plugins do not see them in the environment, and neither does the exporter. */
  readonly headers: TraceSettings['headers']
}

/** A collector that is slow or gone costs traces, never memory. */
const maxWaiting = 1_000
/** Steps of a run that are told of: its first and, as that is where it failed, its last. */
const told = { first: 1_500, newest: 500, bytes: 0 } as const
/** Spans that wait for the collector: more than one run has, with tries of its steps that failed. */
const maxQueueSize = 4_096
const closingMs = 5_000

/**
 * Traces over OTLP, as `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` say. One trace for each run, made
 * from its journal when it ends, so that a run that waited for days and survived restarts is one trace too. Its trace id is the uuid
 * of the run without hyphens.
 */
export async function openTracing({ stores, log, ratio, headers }: TracingOptions): Promise<Tracing> {
  // Loaded only where traces are wanted: they are many files.
  const [{ ROOT_CONTEXT, SpanStatusCode, trace }, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const ids = new RunIds()
  const named = resources.detectResources({ detectors: [resources.envDetector] })
  const sent = Object.fromEntries(Object.entries(headers).map(([name, secret]) => [name, secret.reveal()]))
  const exporter = new OTLPTraceExporter({ headers: sent })
  const processor = new sdk.BatchSpanProcessor({ exporter, maxQueueSize })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'tocsin' }).merge(named),
    idGenerator: ids,
    spanProcessors: [processor],
  })
  const sampler = new sdk.TraceIdRatioBasedSampler(ratio)
  const tracer = provider.getTracer('tocsin')
  const directory = createDirectory(stores)
  let waiting = 0
  /** Since all were sent last. */
  let unsent = 0
  let telling: Promise<void> = Promise.resolve()
  let isFull = false

  function sayFull(): void {
    if (!isFull)
      log.warn({ count: waiting }, 'the collector of traces takes them too slowly: runs are left out')
    isFull = true
  }

  async function tell(run: Run): Promise<void> {
    const [code, { entries, failedAttempts, total }] = await Promise.all([
      directory.organizationCode(run.organizationUuid),
      stores.journal.excerpt(run.uuid, told),
    ])
    const spans = spansOfRun(run, code, { entries, failedAttempts, leftOut: total - entries.length })
    // What the queue cannot hold would be dropped without a word.
    if (unsent + spans.length > maxQueueSize) {
      unsent = 0
      await processor.forceFlush()
    }
    unsent += spans.length
    emit(run, spans)
  }

  function emit(run: Run, spans: readonly RunSpan[]): void {
    const contexts = new Map<string, typeof ROOT_CONTEXT>()
    ids.next = traceId(run)
    // What is around stands in shorter paths.
    for (const span of spans.toSorted((a, b) => a.key.length - b.key.length)) {
      const parent = span.parent === undefined ? ROOT_CONTEXT : (contexts.get(span.parent) ?? ROOT_CONTEXT)
      const { name, startedAt: startTime, attributes } = span
      const made = tracer.startSpan(name, { startTime, attributes: { ...attributes } }, parent)
      if (span.error !== undefined) {
        made.setAttribute('error.type', span.error)
        made.setStatus({ code: SpanStatusCode.ERROR, message: span.error })
      }
      made.end(span.endedAt)
      contexts.set(span.key, trace.setSpan(ROOT_CONTEXT, made))
    }
  }

  return {
    runEnded(run) {
      if (sampler.shouldSample(ROOT_CONTEXT, traceId(run)).decision === sdk.SamplingDecision.NOT_RECORD)
        return
      if (waiting >= maxWaiting) return sayFull()
      waiting++
      telling = telling
        .then(() => tell(run))
        .catch((error: unknown) => log.warn({ error }, 'a run could not be traced'))
        .finally(() => {
          waiting--
          isFull &&= waiting > 0
        })
    },
    async close() {
      const timer = AbortSignal.timeout(closingMs)
      const late = new Promise<void>((resolve) =>
        timer.addEventListener('abort', () => resolve(), { once: true }),
      )
      await Promise.race([telling.then(() => provider.shutdown()), late]).catch((error: unknown) =>
        log.warn({ error }, 'the last traces could not be sent'),
      )
    },
  }
}

const traceId = (run: Run): string => run.uuid.replaceAll('-', '')

/** Random ids, but for the trace of a run. */
class RunIds {
  /** For the next trace that begins. */
  next: string | undefined

  generateTraceId(): string {
    const id = this.next ?? hex(16)
    this.next = undefined
    return id
  }

  generateSpanId(): string {
    return hex(8)
  }
}

const hex = (bytes: number): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
