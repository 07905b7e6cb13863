import { expect } from 'chai'
import type { Alert } from '../../core/domain/alert.ts'
import { groupOf } from '../../core/investigation/group-of.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { alertOf } from './support/alert-of.ts'

const organization = { uuid: 'o', code: 'main', name: 'Main', revision: 1, createdAt: 0 }
const hour = 3_600_000

describe('groupOf', () => {
  const errors: unknown[] = []
  beforeEach(() => void errors.splice(0))

  function playbook(group: string, alert = '') {
    const { playbook: parsed, problems } = parsePlaybook(
      `apiVersion: tocsin/v1\nname: x\non:\n  alert:\n    type: sign_in\n${group}\n${alert}\nsteps: [{ return: 1 }]`,
    )
    return parsed ?? expect.fail(JSON.stringify(problems))
  }

  const group = (source: string, content: unknown, more: Partial<Alert> = {}, windowMs = hour, schema = '') =>
    groupOf(playbook(source, schema), alertOf(content, more), organization, (id) => `case of ${id}`, {
      windowMs,
      onError: (error) => void errors.push(error),
    })
  const print = (...given: Parameters<typeof group>) =>
    Buffer.from(group(...given)?.fingerprint ?? []).toString('hex')

  it('uses the whole content by default', () => {
    expect(group('', 'x')).to.deep.include({
      reason: 'provider, type and content are the same, and it came within 1h',
      windowMs: hour,
    })
    expect(print('', 'x')).to.equal(print('', 'x', { id: 'main-splunk-2', createdAt: 9 }))
    expect(
      new Set([
        print('', 'x'),
        print('', 'x '),
        print('', 'x', { provider: 'aws' }),
        print('', 'x', { type: 'y' }),
      ]).size,
    ).to.equal(4)
    expect(print('', 'x', { provider: 'SPLUNK' })).to.equal(print('', 'x'))
  })

  it('uses the fields that the playbook names, and shows their values', () => {
    const by = '    group: { by: [alert.data.user, alert.data.ip], within: 30m }'
    const kim = { user: 'kim', ip: '203.0.113.9', at: 1 }
    expect(group(by, kim)).to.deep.include({
      reason:
        'provider, type, alert.data.user (kim) and alert.data.ip (203.0.113.9) are the same, and it came within 30m',
      windowMs: 1_800_000,
    })
    const guarded =
      '    group: { by: [alert.data.?user.orValue(null), \'alert.data.?ip.orValue("none")\'], within: 30m }'
    expect(group(guarded, kim)?.reason).to.equal(group(by, kim)?.reason)
    expect(print(by, kim)).to.equal(print(by, { ...kim, at: 2 }))
    expect(print(by, kim)).to.not.equal(print(by, { ...kim, user: 'eve' }))
  })

  it('distinguishes values that look alike', () => {
    const by = '    group: { by: [alert.data.a, alert.data.b] }'
    const prints = [
      { a: 'x', b: 'y,z' },
      { a: 'x,y', b: 'z' },
      { a: 1, b: 2 },
      { a: '1', b: 2 },
      { a: [1], b: 2 },
    ].map((data) => print(by, data))
    expect(new Set(prints).size).to.equal(5)
    expect(print('    group: { by: [alert.content] }', 'x')).to.not.equal(print('', 'x'))
  })

  for (const [what, data] of Object.entries({
    'is missing': {},
    'is null': { user: null },
    'is empty': { user: '' },
    'is an empty list': { user: [] },
  })) {
    it(`groups only identical content if a value ${what}`, () => {
      const by = '    group: { by: [alert.data.user], within: 5m }'
      const { reason, windowMs } = group(by, data) ?? expect.fail('the same content is the same')
      expect(reason).to.equal('provider, type and content are the same, and it came within 1h')
      expect(windowMs).to.equal(hour)
      expect(print(by, data)).to.equal(print(by, data)).and.to.equal(print('', data))
      expect(print(by, { ...data, at: 1 })).to.not.equal(print(by, data))
      errors.splice(1)
      expect(errors).to.have.length(what === 'is missing' ? 1 : 0)
      expect(group(by, data, {}, 0), 'not where the content makes no repeats').to.equal(undefined)
    })
  }

  it('is disabled by the playbook or the server, and a playbook can enable it again', () => {
    expect(group('    group: false', 'x')).to.equal(undefined)
    expect(group('', 'x', {}, 0)).to.equal(undefined)
    expect(group('    group: { by: [alert.content] }', 'x', {}, 0)?.windowMs).to.equal(hour)
    expect(group('    group: { by: [alert.content] }', 'x', {}, 5)?.windowMs).to.equal(5)
  })

  it('escapes and truncates shown values and leaves out sensitive ones', () => {
    const by = '    group: { by: [alert.data.user] }'
    const reason = group(by, { user: `\u202e${'x'.repeat(300)}` })?.reason ?? ''
    expect(reason).to.include('\\u{202e}xxx').and.to.include('…').and.to.have.length.below(300)
    const schema = `alert: { type: object, required: [user], properties: { user: { type: string, x-sensitive: true } } }`
    expect(group(by, { user: 'kim.secret' }, {}, hour, schema)?.reason).to.equal(
      'provider, type, alert.data.user are the same, and it came within 1h',
    )
  })
})
