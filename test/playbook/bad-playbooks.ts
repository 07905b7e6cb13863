import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import { findRivals } from '../../core/playbook/check/find-rivals.ts'
import { parsePlaybook, type ParseOptions } from '../../core/playbook/read/parse.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import type { ProblemCode } from '../../core/playbook/language/problem-catalogue.ts'
import { parseTests } from '../../core/playbook-test/read/parse.ts'
import { readPlugin } from '../../core/declarative/index.ts'
import http from '../../plugins/http/plugin.ts'
import { catalogue, withSteps } from './support.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'

/** The smallest playbook or test file for each problem code. */
interface BadPlaybook {
  readonly source: string | Uint8Array
  readonly options?: ParseOptions
  /** The playbook under test. */
  readonly testsOf?: string
  /** The source is a `plugin.yaml`. */
  readonly isPlugin?: true
  /** Another playbook in the same folder, which is read first. */
  readonly beside?: string
}

export function problemsOf({ source, options, testsOf, beside, isPlugin }: BadPlaybook): readonly Problem[] {
  if (isPlugin === true) return readPlugin(source, { files: noFiles }).problems
  if (beside !== undefined) {
    const files = [beside, String(source)].map((text, index) => {
      const file = index === 0 ? 'a.yaml' : 'b.yaml'
      return { file, playbook: parsePlaybook(text, { catalogue, file }).playbook! }
    })
    return findRivals(files)
  }
  if (testsOf === undefined) return parsePlaybook(source, { catalogue, ...options }).problems
  return parseTests(source, { catalogue, loadPlaybook: (name) => (name === 'x.yaml' ? testsOf : undefined) })
    .problems
}

const steps = (text: string, options?: ParseOptions): BadPlaybook =>
  options ? { source: withSteps(text), options } : { source: withSteps(text) }
const expression = (text: string): BadPlaybook =>
  steps(
    `  - { id: a, uses: intel_provider.get_enrichment, with: { kind: ip, value: abc } }\n  - set: { x: "\${{ ${text.replaceAll('"', '\\"')} }}" }`,
  )
const playbooks = (sources: Readonly<Record<string, string>>) =>
  callablePlaybooks(new Map(Object.entries(sources)), catalogue)
const nothing = '  - set: { x: 1 }'
const tests = (text: string, playbook = 'x.yaml'): BadPlaybook => ({
  testsOf: withSteps('  - { id: trips, uses: travel.search_user_travel, with: { email: x } }'),
  source: `playbook: ${playbook}\n${text}${text.includes('tests:') ? '' : 'tests: [{ name: a, expect: {} }]\n'}`,
})

const noFiles = { read: () => ({ refused: 'does not exist' }) }
const plugin = (rest: string, rate = '10/s'): BadPlaybook => ({
  isPlugin: true,
  source: `apiVersion: tocsin/v1
plugin: addresses
title: Addresses
description: Looks up addresses.
connection:
  base_url: https://api.example.com
  fields: { api_key: { secret: true } }
  auth: { header: key, value: "\${{ settings.api_key }}" }
  check: { get: /ping }
  rate: ${rate}
skills:
  - name: get_ip
    title: Look up an address
    description: What is known about an address.
    effect: read
    input: { ip: { format: ip } }
    ${rest}
`,
})

export const badPlaybooks: Readonly<Record<ProblemCode, BadPlaybook>> = {
  E001: { source: '#'.repeat(300_000) },
  E002: { source: Uint8Array.of(0x61, 0xff, 0xfe) },
  E003: { source: 'name: a\u0007b' },
  E004: { source: '['.repeat(100) },
  E005: { source: '- \n'.repeat(60_000) },
  E006: { source: 'name: *nobody' },
  E101: { source: 'name: "x' },
  E102: { source: 'name: !!str x' },
  E103: { source: withSteps(nothing, 'name: again') },
  E104: { source: withSteps(nothing, 'nmae: x') },
  E105: { source: 'name: x' },
  E106: { source: 'just a text' },
  E107: { source: withSteps(nothing, 'timeout: soon') },
  E109: steps('  - id: a'),
  E110: steps('  - { id: A-1, set: { x: 1 } }'),
  E111: steps('  - { id: a, set: { x: 1 } }\n  - { id: a, set: { x: 1 } }'),
  E112: steps('  - { set: { x: 1 }, with: { y: 1 } }'),
  E113: { source: withSteps(nothing, 'finally:\n  - return: 1') },
  E114: steps('  - set: { x: ${{ run.id }} }'),
  E201: expression('1 +'),
  E202: expression('steps.a.output.status == "confimed"'),
  E203: expression('steps.a.output.status + 1'),
  E204: expression('nobody'),
  E205: expression('steps.a.output.riks'),
  E206: expression('steps.a.output.risk.rules'),
  E207: expression('steps.a.output.owner.lowerAscii()'),
  E208: expression('nosuch(1)'),
  E209: expression('1 + '.repeat(4000) + '1'),
  E210: steps('  - { if: run.id, set: { x: 1 } }'),
  E211: expression('steps.a.output.tags }} and ${{ 1'),
  E212: expression('run.id.matches("(")'),
  E213: expression('1u'),
  E301: steps('  - uses: case.updaet'),
  E302: expression('steps.nobody.ok'),
  E303: steps('  - set: { x: "${{ steps.b.ok }}" }\n  - { id: b, set: { x: 1 } }'),
  E304: steps('  - { uses: messaging.send_message, with: { text: x } }', { connections: [] }),
  E305: steps('  - { uses: case.update, with: { colour: red } }'),
  E306: steps('  - uses: messaging.send_message'),
  E307: steps('  - { uses: case.update, with: { summary: 5 } }'),
  E308: steps(
    '  - { id: a, uses: travel.search_user_travel, with: { email: x }, on_error: continue, default: { trips: 5 } }',
  ),
  E309: steps('  - { foreach: "${{ run.id }}", set: { x: 1 } }'),
  E310: steps('  - wait: tomorrow'),
  E311: { source: withSteps(nothing, 'inputs: { user: { type: text } }') },
  E312: { source: withSteps(nothing, 'inputs: { user: { type: string } }') },
  E313: { source: withSteps(nothing).replace('alert: { type: t }', 'schedule: 99 * * * *') },
  E315: {
    source: withSteps(
      '  - { uses: messaging.send_message, with: { text: "${{ inputs.pin }}" } }',
      'inputs: { pin: { type: string, sensitive: true, default: "1234" } }',
    ),
  },
  E316: steps('  - call: contain-hots', { playbooks: playbooks({ 'contain-host': withSteps(nothing) }) }),
  E317: steps('  - call: contain-host', { playbooks: playbooks({ 'contain-host': withSteps(nothing) }) }),
  E318: steps('  - call: test'),
  E319: steps('  - checkpoint: { via: messaging.send_message, answers: [yes], timeout: 1h }'),
  E320: steps('  - { uses: messaging.checkpoint, with: { message: x, checkpoint_id: x, answers: [yes] } }'),
  E321: { source: withSteps(nothing).replace('type: t', 'type: t, group: { by: [1] }') },
  E322: {
    source: withSteps(nothing).replace('type: t', 'type: t, provider: seim'),
    options: { known: { connections: [], providers: ['siem', 'edr'] } },
  },
  E323: {
    source: withSteps(nothing).replace(
      'alert: { type: t }',
      'schedule: { cron: "0 8 * * *", organizations: [amce] }',
    ),
    options: { known: { connections: [], providers: [], organizations: ['acme', 'globex'] } },
  },
  E324: steps('  - { uses: case.update, undo: { after: 4h } }'),
  E325: {
    source: withSteps(nothing, 'organization: acme').replace(
      'alert: { type: t }',
      'schedule: { cron: "0 8 * * *", organizations: [globex] }',
    ),
  },
  E330: {
    source: withSteps(nothing).replace(
      'alert: { type: t }',
      'schedule: { cron: "0 8 * * *", timezone: Europe/Berlim }',
    ),
  },
  E331: { source: withSteps(nothing).replace('type: t', 'type: t, correlate: { by: { kind: alert.type } }') },
  E340: { source: withSteps('  - state: { get: seen, key: a }', 'state: { saen: { kind: set } }') },
  E341: { source: withSteps('  - state: { increment: seen, key: a }', 'state: { seen: { kind: set } }') },
  E342: { source: withSteps('  - state: { set: at, value: 1 }', 'state: { at: { type: string } }') },
  E350: { source: withSteps(nothing, 'mode: shadow').replace('alert: { type: t }', 'manual: true') },
  W401: steps('  - return: 1\n  - set: { x: 1 }'),
  W402: steps('  - switch: [{ when: true, steps: [{ fail: x }] }]'),
  W403: steps('  - { id: a, set: { x: 1 } }'),
  W404: steps('  - { uses: messaging.send_message, with: { text: x }, retry: { max: 2 } }'),
  W405: steps('  - fail: "no answer for {{ alert.id }}"'),
  W406: steps('  - { uses: case.update, retry: { on: [machine_asleep] } }'),
  W407: steps('  - { wait: 2d }'),
  W408: {
    source: withSteps(
      '  - { set: { x: "${{ inputs.n + 1 }}" } }',
      'inputs: { n: { type: [string, integer] } }',
    ),
  },
  W409: steps(
    '  - { return: "${{ inputs.at + inputs.span }}" }\ninputs: { at: { type: string, format: date-time }, span: { type: string, format: duration } }',
  ),
  W410: {
    source: withSteps(
      '  - foreach: ${{ alert.data }}\n    steps: [{ if: has(item.x), foreach: "${{ item.list }}", set: { x: "${{ item.x }}" } }]',
      'alert: { type: array, items: { type: object, required: [list], properties: { x: {}, list: { type: array, items: { type: object, properties: { x: {} } } } } } }',
    ),
  },
  W411: steps('  - wait: { until: 2026-02-30T00:00:00Z }'),
  W412: {
    source: withSteps(
      '  - { if: inputs.level == 4, set: { x: 1 } }',
      'inputs: { level: { type: integer, enum: [1, 2, 3] } }',
    ),
  },
  W413: steps('  - return: "${{ alert.data.?x }}"'),
  W414: steps('  - { uses: http.get, connection: c, with: { path: "/devices/${{ alert.data.id }}" } }', {
    catalogue: buildCatalogue([http]),
  }),
  W420: {
    source: withSteps(
      '  - return: ${{ alert.data.healthStaus }}',
      'alert: { type: object, additionalProperties: true, required: [healthStatus], properties: { healthStatus: { type: string } } }',
    ),
  },
  W421: steps('  - fail: See ticket #123'),
  W422: steps("  - return: '${{ {1: alert.id} }}'"),
  W423: steps('  - { foreach: "${{ [1] }}", timeout: 5m, steps: [{ wait: 10s }] }'),
  W424: steps('  - { if: alert.type == "a" && alert.type == "b", set: { x: 1 } }'),
  W440: steps(
    '  - { uses: edr.isolate, with: { id: ws-7 }, repeat: { until: has(output.finished), every: 1m, max: 9 } }',
  ),
  I501: steps(
    '  - { uses: travel.search_user_travel, with: { email: x } }\n  - { uses: travel.search_user_travel, with: { email: y } }',
  ),
  I502: steps('  - x: 1\n'.repeat(201)),
  I503: steps('  - { foreach: "${{ alert.data }}", uses: edr.isolate, with: { id: "${{ item }}" } }'),
  E601: tests('mocks:\n  steps.trips: { delay: 5s }\n'),
  E602: tests('mocks:\n  steps.trips: { output: { trips: [{ city: Oslo }] } }\n'),
  E603: tests('', 'y.yaml'),
  E604: tests('tests:\n  - { name: a, expect: {} }\n  - { name: a, expect: {} }\n'),
  W601: tests('mocks:\n  messaging.send_message: { output: {} }\n'),
  E701: { beside: withSteps(nothing), source: withSteps(nothing) },
  W701: { beside: withSteps(nothing), source: withSteps(nothing).replace(/^name: .*$/m, 'name: other') },
  E801: plugin('request: { get: /ips, post: /ips }\n    output: { ok: true }'),
  E802: plugin('request: { get: "/ips/${{ input.ip }}" }\n    output: { ok: true }'),
  E803: plugin('request: { get: /ips }\n    output: { key: "${{ settings.api_key }}" }'),
  E804: plugin('request: { get: /ips }\n    output: { ok: true }\n    examples: [examples/none.json]'),
  E805: plugin(
    'request: { get: /ips }\n    output: { status: { type: string, value: "${{ response.status }}" } }',
  ),
  E806: plugin('repeat: safe\n    request: { get: /ips }\n    output: { ok: true }'),
  W801: plugin('request: { get: /ips }\n    output: { name: "${{ response.body.name }}" }'),
  W802: plugin('request: { get: /ips }\n    output: { ok: true }'),
  W803: plugin(
    'request: { get: /ips }\n    output: { ok: true }',
    '[{ path: /ips, limits: 4/min }, { path: /v1/ips, limits: 9/min }]',
  ),
}
