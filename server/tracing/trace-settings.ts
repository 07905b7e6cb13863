import { Secret } from '../../core/plugin/index.ts'
import type { ConfigWarning } from '../config/config-warnings.ts'

/** From the variables of the OpenTelemetry specification (SDK environment variables). */
export interface TraceSettings {
  /** Traces are on. */
  readonly wanted: boolean
  /** Share of runs to export, from 0 to 1. Default: 1. */
  readonly ratio: number
  /** Sent with each export, e.g. `Authorization`. */
  readonly headers: Readonly<Record<string, Secret>>
  /** Settings that are ignored. */
  readonly warnings: readonly ConfigWarning[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** In the order of precedence of the specification. */
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const

/** Never throws: invalid trace settings must not prevent a start. */
export function readTraceSettings(env: Environment): TraceSettings {
  const value = (name: string): string => env[name]?.trim() ?? ''
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true')
    return { wanted: false, ratio: 1, headers: {}, warnings: [] }
  const exporters = value('OTEL_TRACES_EXPORTER').split(',').map(trimmed).filter(Boolean)
  const unknown = exporters.filter((name) => name !== 'otlp' && name !== 'none')
  const isNamed =
    value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== '' || value('OTEL_EXPORTER_OTLP_ENDPOINT') !== ''
  const wanted = exporters.length === 0 ? isNamed : exporters.includes('otlp')
  const { ratio, warnings } = readSampler(value)
  const ofExporters = unknown.map((name) =>
    notKept(`OTEL_TRACES_EXPORTER: unknown exporter "${name}"`, 'use otlp or none'),
  )
  return {
    wanted,
    ratio,
    headers: readHeaders(value),
    warnings: wanted ? [...ofExporters, ...protocolWarnings(value), ...warnings] : ofExporters,
  }
}

/**
 * Format of the specification: `name=value`, separated by commas, percent-encoded. Headers for traces
 * override headers for all signals.
 */
function readHeaders(value: (name: string) => string): Readonly<Record<string, Secret>> {
  const variables = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS']
  const pairs = variables
    .flatMap((name) => value(name).split(','))
    .flatMap((pair) => {
      const [, name = '', text = ''] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? []
      return name === '' ? [] : [[decoded(name).toLowerCase(), new Secret(decoded(text))] as const]
    })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text.trim()
  }
}

/** A run has no parent span, so parent-based samplers behave like their root sampler. */
function readSampler(value: (name: string) => string): Pick<TraceSettings, 'ratio' | 'warnings'> {
  const named = value('OTEL_TRACES_SAMPLER')
  const sampler = named.replace(/^parentbased_/, '')
  if (sampler === '' || sampler === 'always_on') return { ratio: 1, warnings: [] }
  if (sampler === 'always_off') return { ratio: 0, warnings: [] }
  if (sampler !== 'traceidratio') {
    const message = `OTEL_TRACES_SAMPLER: unknown sampler "${named}"; all runs are traced`
    return { ratio: 1, warnings: [notKept(message, 'use always_on, always_off or traceidratio')] }
  }
  const text = value('OTEL_TRACES_SAMPLER_ARG')
  const ratio = text === '' ? 1 : Number(text)
  if (ratio >= 0 && ratio <= 1) return { ratio, warnings: [] }
  const message = `OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1; all runs are traced`
  return { ratio: 1, warnings: [notKept(message, 'set it, e.g. to 0.1')] }
}

function protocolWarnings(value: (name: string) => string): readonly ConfigWarning[] {
  const variable = protocolVariables.find((name) => value(name) !== '')
  if (variable === undefined || value(variable) === 'http/json') return []
  return [
    notKept(
      `${variable}: traces are sent as JSON over HTTP, not by "${value(variable)}"`,
      'set it to http/json, and the endpoint to the HTTP port of the collector, often 4318',
    ),
  ]
}

const trimmed = (text: string): string => text.trim()

const notKept = (message: string, hint: string): ConfigWarning => ({ message, hint })
