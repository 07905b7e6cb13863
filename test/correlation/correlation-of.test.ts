import { expect } from 'chai'
import { correlationOf } from '../../core/correlation/correlation-of.ts'
import { receivedAlert } from '../../core/transitions/alert.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'

const organization = { code: 'acme', name: 'Acme' } as never

function alertOf(data: unknown, content = JSON.stringify(data)) {
  const given = {
    id: 'acme-siem-1',
    uuid: 'u',
    organizationUuid: 'o',
    organizationCode: 'acme',
    createdAt: 1,
  }
  return receivedAlert({
    ...given,
    provider: 'siem',
    type: 't',
    content,
    createdAtSource: null,
    createdBy: 'k',
  })
}

function keysOf(correlate: string, data: unknown, { schema = '', name = 'sign-ins' } = {}) {
  const source = `apiVersion: tocsin/v1\nname: ${name}\non: { alert: { type: t, correlate: ${correlate} } }\n${schema}steps: [{ return: 1 }]\n`
  const { playbook, problems } = parsePlaybook(source)
  expect(problems).to.deep.equal([])
  const errors: unknown[] = []
  const found = correlationOf(playbook!, alertOf(data), organization, (error) => errors.push(error))
  const hex = found.keys.map(({ key }) => Buffer.from(key).toString('hex'))
  return { ...found, hex, reasons: found.keys.map(({ reason }) => reason), errors }
}

const byUser = '{ by: { user: alert.data.?user } }'

describe('correlationOf', () => {
  it('gives the reason with the values', () => {
    const { reasons } = keysOf('{ by: { user: alert.data.user, host: alert.data.host }, within: 2h }', {
      user: 'Ana@Example.com',
      host: 'WS-7',
    })
    expect(reasons).to.deep.equal([
      'host (WS-7) and user (Ana@Example.com) are the same as in an alert at most 2h earlier (rule of sign-ins)',
    ])
  })

  it('ignores the case of letters, surrounding space, the playbook and the order of the names', () => {
    const one = keysOf('{ by: { user: alert.data.user, host: alert.data.host } }', {
      user: 'Ana',
      host: 'WS-7',
    })
    const other = keysOf(
      '{ by: { host: alert.data.device.name, user: alert.data.upn } }',
      { upn: ' \uFF21na ', device: { name: 'ws-7' } },
      { name: 'malware' },
    )
    expect(other.hex).to.deep.equal(one.hex)
  })

  it('keeps names and values apart', () => {
    const keys = [
      keysOf('{ by: { user: alert.data.a } }', { a: 'x y' }),
      keysOf('{ by: { host: alert.data.a } }', { a: 'x y' }),
      keysOf('{ by: { user: alert.data.a, z: alert.data.b } }', { a: 'x', b: 'y' }),
      keysOf('{ by: { user: alert.data.a, z: alert.data.b } }', { a: 'x","y', b: 'y' }),
    ]
    expect(new Set(keys.flatMap(({ hex }) => hex)).size).to.equal(4)
  })

  for (const value of [undefined, null, '', '  ', '-', '???', [], {}, [null], ['']]) {
    it(`gives no key for ${JSON.stringify(value)}`, () => {
      expect(keysOf(byUser, { user: value })).to.deep.include({ keys: [], skipped: [], errors: [] })
    })
  }

  for (const value of [
    'unknown',
    'N/A',
    'LOCALHOST',
    '127.0.0.1',
    '192.168.1.1',
    '10.2.3.254',
    'NT AUTHORITY\\SYSTEM',
    '::1',
    'd41d8cd98f00b204e9800998ecf8427e',
    true,
    0,
    ['unknown'],
  ]) {
    it(`gives no key for ${JSON.stringify(value)}, and says why`, () => {
      const { keys, skipped } = keysOf(byUser, { user: value })
      expect(keys).to.deep.equal([])
      expect(skipped).to.have.length(1)
      expect(skipped[0]).to.match(/^Not correlated by user: user \(.*\) is too common to relate alerts\.$/)
    })
  }

  it('needs every value of a rule, and applies each rule alone', () => {
    const rules =
      '[{ by: { user: alert.data.?user, host: alert.data.?host } }, { by: { hash: alert.data.?hash } }]'
    expect(keysOf(rules, { user: 'ana', hash: 'ab12' }).reasons).to.deep.equal([
      'hash (ab12) is the same as in an alert at most 1d earlier (rule of sign-ins)',
    ])
    expect(keysOf(rules, { user: 'ana', host: 'localhost' }).skipped).to.deep.equal([
      'Not correlated by host and user: host (localhost) is too common to relate alerts.',
    ])
  })

  it('treats a missing field as missing and reports other failures', () => {
    expect(keysOf('{ by: { user: alert.data.user } }', {}).errors).to.deep.equal([])
    const failing = keysOf('{ by: { user: alert.data.user.lowerAscii() } }', { user: 5 })
    expect(failing.keys).to.deep.equal([])
    expect(failing.errors).to.have.length(1)
  })

  it('gives no key and reports nothing for an alert without data', () => {
    for (const data of ['call me back', 7, [], null])
      expect(keysOf(byUser, data), JSON.stringify(data)).to.deep.include({ keys: [], errors: [] })
  })

  it('leaves sensitive values out of the reason', () => {
    const schema =
      'alert: { type: object, required: [user], properties: { user: { type: string, x-sensitive: true } } }\n'
    expect(keysOf('{ by: { user: alert.data.user } }', { user: 'ana' }, { schema }).reasons).to.deep.equal([
      'user is the same as in an alert at most 1d earlier (rule of sign-ins)',
    ])
  })

  it('bounds and escapes what attackers write', () => {
    const { reasons, keys } = keysOf(byUser, { user: 'x'.repeat(1_048_576) })
    expect(keys).to.have.length(1)
    expect(reasons[0]!.length).to.be.below(300)
    const [reason] = keysOf(byUser, { user: 'ana\n\u202e\u0000 joined' }).reasons
    expect(reason).not.to.match(/[\p{Cc}\p{Cf}]/u)
  })
})
