import { expect } from 'chai'
import { openDeclaredPlugin, testFailures } from 'tocsin/plugin/testing'

const otx = await openDeclaredPlugin(import.meta.dirname, { api_key: 'a'.repeat(64) })
const lookup = { kind: 'domain', value: 'example.net' }

describe('otx on a bad day', () => {
  testFailures(otx, 'lookup', lookup, [
    [
      'a wrong key',
      { status: 403, json: { detail: 'Authentication required' } },
      'ConnectionError',
      /OTX key is wrong/,
    ],
    ['too many requests', { status: 429, text: '' }, 'RetryableError', /too many requests for this key/],
    [
      'an overloaded service',
      { status: 504, text: '<html><title>504 Gateway Time-out</title></html>' },
      'RetryableError',
      /frequent for busy indicators/,
    ],
    ['a page instead of JSON', { text: '<html>' }, 'SkillError', /JSON/],
  ])
})

describe('otx', () => {
  const general = (more: object) => ({ json: { pulse_info: { count: 0, pulses: [] }, ...more } })
  const riskOf = async (more: object) =>
    ((await otx.run('lookup', lookup, { replies: [general(more)] })).output['risk'] as { score: number })
      .score

  it('scores by pulses, unless OTX calls the value good', async () => {
    const pulse_info = { count: 12, pulses: [{ name: 'a' }] }
    expect(await riskOf({ pulse_info })).to.equal(80)
    expect(await riskOf({ pulse_info, validation: [{ source: 'majestic' }] })).to.equal(0)
    expect(await riskOf({ pulse_info, false_positive: [{ assessment: 'accepted' }] })).to.equal(0)
    expect(await riskOf({ pulse_info, false_positive: [{ assessment: 'pending' }] })).to.equal(80)
  })

  it('encodes values as one segment, and distinguishes IPv6 from IPv4', async () => {
    const pathOf = async (input: object) =>
      (await otx.run('lookup', input, { replies: [{ status: 404 }] })).requests[0]?.path
    expect(await pathOf({ kind: 'url', value: 'https://a.example/b?c=d#e' })).to.equal(
      '/api/v1/indicators/url/https%3A%2F%2Fa.example%2Fb%3Fc%3Dd%23e/general',
    )
    expect(await pathOf({ kind: 'ip', value: '2001:db8::1' })).to.match(/IPv6/)
  })

  it('does not follow the next page to another host', async () => {
    const results = [{ id: 1, indicator: 'a', type: 'domain' }]
    const replies = [{ json: { results, count: 2, next: 'https://evil.example/api/v1/pulses' } }]
    const id = '5f0c1a2b3c4d5e6f70819205'
    expect((await otx.failureOf('list_pulse_indicators', { id }, { replies })).kind).to.equal('SkillError')
  })

  it('reads malware and techniques as texts and as objects', async () => {
    const body = {
      name: 'a',
      malware_families: ['x', { id: 'y', display_name: 'Y' }],
      attack_ids: [{ id: 'T1566' }, 'T1059'],
    }
    const { output } = await otx.run(
      'get_pulse',
      { id: '5f0c1a2b3c4d5e6f70819205' },
      { replies: [{ json: body }] },
    )
    expect(output).to.deep.include({ malware: ['x', 'Y'], techniques: ['T1566', 'T1059'] })
  })
})
