import { expect } from 'chai'
import { ValidationError } from '../../core/errors/errors.ts'
import { usableSettings } from '../../core/skill/connection/usable-settings.ts'
import { Secret } from '../../core/plugin/index.ts'
import { createTarget } from '../../core/skill/connection/target.ts'
import { connection } from '../../plugins/http/connection.ts'

describe('a connection of the http plugin', () => {
  const usable = (given: object) =>
    usableSettings(connection, 'n', { base_url: 'https://api.example.com', ...given }).settings

  const values = {
    base_url: {
      bad: [
        'https://kim:hunter2pw@x.example',
        'https://hunter2pw@x.example',
        'https://x.example/a?b',
        'https://x.example#f',
        'https://x.example:99999',
        'ftp://x.example',
      ],
      good: ['https://x.example/v2/', 'http://10.1.2.3:8080', 'https://[2001:db8::1]/a'],
    },
    test_path: {
      bad: [
        '//evil.example/x',
        '/../../x',
        '/a/%2E./b',
        '/..',
        '/./a?b',
        '/x#y',
        '/x y',
        '/\\evil.example',
        'x',
        '',
        '?x',
      ],
      good: ['/', '/me?fields=a/../b', '/.well-known/a/', '/a%20b/%41?x=%2e'],
    },
  }
  for (const [field, { bad, good }] of Object.entries(values)) {
    for (const value of bad)
      it(`refuses ${field} ${value} without repeating it`, () => {
        let refusal: unknown
        try {
          usable({ [field]: value })
        } catch (error) {
          refusal = error
        }
        expect(refusal).to.be.instanceOf(ValidationError)
        const { code, message, errors } = refusal as ValidationError
        expect(code).to.equal('value_invalid')
        expect(JSON.stringify([message, errors]))
          .to.not.include('hunter2pw')
          .and.not.include('evil')
      })
    it(`accepts other values of ${field}`, () => {
      for (const value of good) expect(usable({ [field]: value })[field], value).to.equal(value)
    })
  }
})

describe('the credentials of a connection', () => {
  const targetWith = (headers: (nowMs: number) => Record<string, string>) =>
    createTarget(
      {
        title: 'Example',
        description: 'For tests.',
        settings: { type: 'object' },
        baseUrl: () => 'https://api.example.com',
        headers: (_settings, { nowMs }) => headers(nowMs),
        authenticate: async () => {},
      },
      { name: 'n', uuid: 'u' },
      { key: new Secret('secret-of-example') },
    )

  it('are those of the moment, although equal headers are prepared once', () => {
    const { credentialsAt } = targetWith((nowMs) => ({ 'X-Minute': String(Math.floor(nowMs / 60_000)) }))
    expect(credentialsAt(0)).to.equal(credentialsAt(59_999))
    expect(credentialsAt(60_000).headers).to.deep.equal({ 'x-minute': '1' })
  })

  it('name what is made from a secret, for redaction', () => {
    const basic = Buffer.from('kim:secret-of-example').toString('base64')
    const { credentialsAt } = targetWith(() => ({ 'X-Basic': `Basic ${basic}`, 'X-Other': 'Basic b3RoZXI=' }))
    expect(credentialsAt(0).credentials).to.deep.equal([basic])
  })
})
