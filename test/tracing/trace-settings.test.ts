import { expect } from 'chai'
import { readConfig } from '../../server/config/config.ts'
import { readTraceSettings } from '../../server/tracing/trace-settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }

describe('readTraceSettings', () => {
  for (const [env, wanted] of [
    [{}, false],
    [endpoint, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console, otlp' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'console' }, false],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, false],
  ] as const) {
    it(`finds ${wanted ? 'a' : 'no'} collector: ${JSON.stringify(env)}`, () => {
      expect(readTraceSettings(env).wanted).to.equal(wanted)
    })
  }

  it('reads headers in the standard format, preferring those for traces', () => {
    const { headers } = readTraceSettings({
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20of-all, x-team = blue=1 ,, broken',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20of-traces',
    })
    const revealed = Object.entries(headers).map(([name, secret]) => [name, secret.reveal()])
    expect(Object.fromEntries(revealed)).to.deep.equal({
      authorization: 'Bearer of-traces',
      'x-team': 'blue=1',
    })
    expect(JSON.stringify(headers)).to.not.contain('of-traces')
  })

  for (const [sampler, argument, ratio] of [
    ['always_on', '', 1],
    ['parentbased_always_off', '', 0],
    ['always_off', '', 0],
    ['traceidratio', '0.25', 0.25],
    ['parentbased_traceidratio', '', 1],
  ] as const) {
    it(`accepts the sampler ${sampler} ${argument}`, () => {
      const env = { ...endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument }
      expect(readTraceSettings(env)).to.deep.equal({ wanted: true, ratio, headers: {}, warnings: [] })
    })
  }

  for (const [env, words] of [
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, /sampler "jaeger_remote"/],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }, /from 0 to 1/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTLP_PROTOCOL.*"grpc"/],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' }, /TRACES_PROTOCOL.*"http\/protobuf"/],
    [{ OTEL_TRACES_EXPORTER: 'otlp,zipkin' }, /exporter "zipkin"/],
  ] as const) {
    it(`warns about ${JSON.stringify(env)} and traces all runs`, () => {
      const { ratio, wanted, warnings } = readTraceSettings({ ...endpoint, ...env })
      expect({ ratio, wanted }).to.deep.equal({ ratio: 1, wanted: true })
      expect(warnings).to.have.length(1)
      expect(warnings[0]?.message).to.match(words)
      expect(readConfig({ ...endpoint, ...env }).warnings).to.deep.include(warnings[0])
    })
  }

  it('accepts the supported protocol', () => {
    expect(
      readTraceSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }).warnings,
    ).to.deep.equal([])
  })
})
