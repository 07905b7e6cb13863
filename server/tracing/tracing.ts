import type { Run } from '../../core/domain/run.ts'
import type { JournalStore } from '../../core/ports/runs/journal-store.ts'
import type { Log } from '../../core/ports/log.ts'
import { createDirectory, type DirectoryStores } from '../http/caller/directory.ts'
import type { TraceSettings } from './trace-settings.ts'
import { spansOfRun, type RunSpan } from './run-spans.ts'

/** Exports traces of ended runs to a collector. */
export interface Tracing {
  /** Never throws; failures are logged. */
  runEnded(run: Run): void
  /** Sends the remaining traces for up to 5 seconds. */
  close(): Promise<void>
}

export interface TracingOptions {
  readonly stores: DirectoryStores & { readonly journal: Pick<JournalStore, 'excerpt'> }
  readonly log: Log
  /** Share of runs to export, from 0 to 1, chosen by their ids. */
  readonly ratio: number
  /** Sent with each export. They are not in the environment, where plugins could read them. */
  readonly headers: TraceSettings['headers']
}

/** Bounds memory while the collector is slow or down. */
const maxWaiting = 1_000
/** Exported steps of a run: the first, and the last ones, where it failed. */
const exportedSteps = { first: 1_500, newest: 500, bytes: 0 } as const
/** Spans that wait for the collector; more than one run has, failed attempts included. */
const maxQueueSize = 4_096
const closingMs = 5_000

/**
 * Exports traces over OTLP, configured by `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`. Each run is one
 * trace, made from its journal when it ends, even if it waited for days. The trace id is the uuid of the run without hyphens.
 */
export async function openTracing({ stores, log, ratio, headers }: TracingOptions): Promise<Tracing> {
  const exporter = await openSpanExporter(ratio, headers)
  const directory = createDirectory(stores)
  let waiting = 0
  let exporting: Promise<void> = Promise.resolve()
  let isFull = false

  async function exportRun(run: Run): Promise<void> {
    const [code, { entries, failedAttempts, total }] = await Promise.all([
      directory.organizationCode(run.organizationUuid),
      stores.journal.excerpt(run.uuid, exportedSteps),
    ])
    const leftOut = total - entries.length
    await exporter.send(run, spansOfRun(run, code, { entries, failedAttempts, leftOut }))
  }

  return {
    runEnded(run) {
      if (!exporter.isSampled(run)) return
      if (waiting >= maxWaiting) {
        if (!isFull) log.warn({ count: waiting }, 'the trace collector is too slow; dropping traces')
        isFull = true
        return
      }
      waiting++
      exporting = exporting
        .then(() => exportRun(run))
        .catch((error: unknown) => log.warn({ error }, 'could not export the trace of a run'))
        .finally(() => {
          waiting--
          isFull &&= waiting > 0
        })
    },
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, closingMs).unref())
      await Promise.race([exporting.then(() => exporter.close()), late]).catch((error: unknown) =>
        log.warn({ error }, 'could not export the last traces'),
      )
    },
  }
}

interface SpanExporter {
  isSampled(run: Run): boolean
  /** Queues the spans of a run; waits while the queue is full. */
  send(run: Run, spans: readonly RunSpan[]): Promise<void>
  close(): Promise<void>
}

async function openSpanExporter(ratio: number, headers: TracingOptions['headers']): Promise<SpanExporter> {
  // Imported only where traces are on: OpenTelemetry is many files.
  const [{ ROOT_CONTEXT, SpanStatusCode, trace }, sdk, resources, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ])
  const ids = new RunIds()
  const ofEnvironment = resources.detectResources({ detectors: [resources.envDetector] })
  const plainHeaders = Object.fromEntries(
    Object.entries(headers).map(([name, secret]) => [name, secret.reveal()]),
  )
  const exporter = new OTLPTraceExporter({ headers: plainHeaders })
  const processor = new sdk.BatchSpanProcessor({ exporter, maxQueueSize })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'tocsin' }).merge(ofEnvironment),
    idGenerator: ids,
    spanProcessors: [processor],
  })
  const sampler = new sdk.TraceIdRatioBasedSampler(ratio)
  const tracer = provider.getTracer('tocsin')
  let unsent = 0

  function emit(run: Run, spans: readonly RunSpan[]): void {
    const contexts = new Map<string, typeof ROOT_CONTEXT>()
    ids.next = traceId(run)
    // Parents first: their keys are shorter.
    for (const span of spans.toSorted((a, b) => a.key.length - b.key.length)) {
      const parent = span.parent === undefined ? ROOT_CONTEXT : (contexts.get(span.parent) ?? ROOT_CONTEXT)
      const { name, startedAt: startTime, attributes } = span
      const started = tracer.startSpan(name, { startTime, attributes: { ...attributes } }, parent)
      if (span.error !== undefined) {
        started.setAttribute('error.type', span.error)
        started.setStatus({ code: SpanStatusCode.ERROR, message: span.error })
      }
      started.end(span.endedAt)
      contexts.set(span.key, trace.setSpan(ROOT_CONTEXT, started))
    }
  }

  return {
    isSampled: (run) =>
      sampler.shouldSample(ROOT_CONTEXT, traceId(run)).decision !== sdk.SamplingDecision.NOT_RECORD,
    async send(run, spans) {
      // The processor silently drops spans beyond its queue.
      if (unsent + spans.length > maxQueueSize) {
        unsent = 0
        await processor.forceFlush()
      }
      unsent += spans.length
      emit(run, spans)
    },
    close: () => provider.shutdown(),
  }
}

const traceId = (run: Run): string => run.uuid.replaceAll('-', '')

/** Random ids, except for the trace id of a run. */
class RunIds {
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
