import { expect } from 'chai'
import { ValidationError } from '../../core/errors/errors.ts'
import { usableSettings } from '../../core/skill/connection/usable-settings.ts'
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
      it(`is not made with ${field} ${value}, which no message repeats`, () => {
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
    it(`is made with other values of ${field}`, () => {
      for (const value of good) expect(usable({ [field]: value })[field], value).to.equal(value)
    })
  }
})
