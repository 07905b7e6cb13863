import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill, type ServedSandbox } from 'tocsin/plugin/testing'
import sandbox, { settingsFor } from './sandbox.ts'
import { failure } from './sandbox/answer.ts'
import { clients } from './sandbox/data/clients.ts'
import { endpointFixture } from './sandbox/data/fixture.ts'
import type { Controls } from './sandbox/commands.ts'
import { createIndicator } from './skills/create-indicator.ts'
import { listIndicators } from './skills/list-indicators.ts'

type Input = Parameters<typeof createIndicator.run>[0]

const caught = async (work: Promise<unknown>): Promise<object> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error as object,
  )

describe('endpoint_security.create_indicator', () => {
  let running: ServedSandbox<Controls>
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const domain: Input = {
    indicatorValue: 'evil.example',
    indicatorType: 'DomainName',
    action: 'Block',
    title: 'Controls malware',
    description: 'Case ACME-7',
  }
  const create = async (
    input: Partial<Input> = {},
    settings: Readonly<Record<string, unknown>> = running.settings,
  ) => (await runSkill(createIndicator, { ...domain, ...input }, { settings, egress: loopbackEgress })).output

  it('sends the given fields and returns the indicator', async () => {
    const output = await create({ rbacGroupNames: ['a', 'b'], expirationTime: '2126-03-01T00:00:00Z' })
    expect(JSON.parse(running.requests[1]?.body ?? '')).to.deep.equal({
      ...domain,
      rbacGroupNames: ['a', 'b'],
      expirationTime: '2126-03-01T00:00:00Z',
    })
    expect(output).to.deep.include({ indicatorValue: 'evil.example', rbacGroupNames: ['a', 'b'] })
  })

  it('is idempotent: it updates the indicator of the same value and type', async () => {
    const first = await create({ application: 'Tocsin' })
    const second = await create({ action: 'Allowed', application: 'other' })
    expect(second).to.deep.equal({ ...first, action: 'Allowed' })
    const listed = await runSkill(
      listIndicators,
      { indicatorValue: 'evil.example' },
      { settings: running.settings, egress: loopbackEgress },
    )
    expect(listed.output.indicators).to.have.length(1)
  })

  it('reads the recorded response', async () => {
    const options = {
      settings: running.settings,
      replies: [{ json: endpointFixture('indicator-create-response') }],
    }
    const { output } = await runSkill(createIndicator, domain, options)
    expect(output).to.deep.include(endpointFixture('indicator-create-response'))
  })

  for (const input of [
    { indicatorType: 'IpAddress', indicatorValue: '192.0.2.0/24' },
    { indicatorType: 'FileSha256', indicatorValue: '220e7d15b011d7fac48f2bd61114db1022197f7f' },
    { indicatorType: 'FileSha1', indicatorValue: 'g'.repeat(40) },
    { indicatorType: 'DomainName', indicatorValue: 'https://evil.example/a' },
    { indicatorType: 'IpAddress', indicatorValue: 'not an ip' },
    { indicatorType: 'IpAddress', indicatorValue: 'evil.example' },
    { indicatorType: 'DomainName', indicatorValue: 'com' },
    { indicatorType: 'DomainName', indicatorValue: 'co.uk' },
    { indicatorType: 'DomainName', indicatorValue: '192.0.2.7' },
    { indicatorType: 'DomainName', indicatorValue: 'evil.example:8080' },
    { indicatorType: 'Url', indicatorValue: 'evil' },
    { indicatorType: 'Url', indicatorValue: 'https://com/' },
    { indicatorType: 'Url', indicatorValue: 'javascript:alert(1)' },
    { expirationTime: '2020-01-01T00:00:00Z' },
    { action: 'Audit' },
  ] as const) {
    it(`refuses ${JSON.stringify(input)} before sending anything`, async () => {
      expect(await caught(create(input))).to.include({ name: 'SkillError', code: 'invalid_indicator' })
      expect(running.requests).to.have.length(0)
    })
  }

  for (const [indicatorType, indicatorValue] of [
    ['IpAddress', '2001:db8::7'],
    ['DomainName', 'Sub.Evil.co.uk'],
    ['DomainName', 'xn--80ak6aa92e.com'],
    ['DomainName', 'evil.github.io'],
    ['Url', 'http://192.0.2.7:8080/a?b'],
    ['Url', 'http://[2001:db8::7]/'],
    ['Url', 'https://evil.example/a'],
  ] as const) {
    it(`accepts the ${indicatorType} ${indicatorValue}`, async () => {
      expect(await create({ indicatorType, indicatorValue })).to.deep.include({ indicatorValue })
    })
  }

  it('fails with the vendor’s error code if the platform refuses', async () => {
    running.failNext({ json: { token_type: 'Bearer', expires_in: 60, access_token: 'test' } })
    running.failNext(failure(400, 'InvalidIpAddress', 'IP address 192.0.2.7 is invalid'))
    const error = await caught(create({ indicatorType: 'IpAddress', indicatorValue: '192.0.2.7' }))
    expect(error).to.include({ name: 'SkillError', code: 'invalid_ip_address' })
  })

  it('names the missing permission', async () => {
    const error = await caught(create({}, settingsFor(running.url, clients.reader)))
    expect(valueAt(error, 'hint')).to.include('Ti.ReadWrite.All or Ti.ReadWrite')
  })
})
