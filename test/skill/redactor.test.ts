import { expect } from 'chai'
import { inspect } from 'node:util'
import { SkillError, TocsinError } from '../../core/plugin/index.ts'
import { Redactor } from '../../core/skill/redaction/redactor.ts'
import { makeRandom } from '../support/random.ts'

const secret = 'pass/wörd "1"+x='
const ours = (error: Error): boolean => error instanceof TocsinError

describe('Redactor', () => {
  it('hides a secret as it is, in URLs, in JSON and in base64', () => {
    const redactor = new Redactor([secret])
    const forms = {
      plain: secret,
      url: encodeURIComponent(secret),
      form: new URLSearchParams({ a: secret }).toString(),
      json: JSON.stringify({ a: secret }),
      base64: Buffer.from(secret).toString('base64'),
      base64url: Buffer.from(secret).toString('base64url'),
    }
    for (const [name, text] of Object.entries(forms)) {
      expect(redactor.text(`before ${text} after`), name).to.match(/^before .*\[redacted\].* after$/)
      expect(redactor.text(text), name).not.to.match(/pass|rd/)
    }
  })

  it('hides a secret URL in every spelling', () => {
    const redactor = new Redactor(['https://Hooks.example.com:443/services/T0/canary?key=canary-key'])
    for (const shown of [
      'https://hooks.example.com/services/T0/canary?key=canary-key',
      'POST https://hooks.example.com/services/T0/canary answered 404',
      'key=canary-key',
    ]) {
      expect(redactor.text(shown), shown).to.include('[redacted]').and.not.include('canary')
    }
  })

  const hex = (text: string, digits: number) => text.charCodeAt(0).toString(16).padStart(digits, '0')
  const mixedCase = (text: string, random: () => number) =>
    text.length < 3
      ? text
      : text.replaceAll(/[a-f]/gi, (letter) => (random() < 0.5 ? letter.toLowerCase() : letter.toUpperCase()))
  const percent = (text: string) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const names: Readonly<Record<string, string>> = Object.fromEntries(
    '+plus /sol =equals "quot \'apos &amp <lt >gt öouml üuuml %percnt $dollar @commat :colon !excl'
      .split(' ')
      .map((each) => [each[0], each.slice(1)]),
  )
  /** Ways to escape one character. */
  const escapes: readonly ((char: string) => string)[] = [
    (char) => (char === '\\' || char === '"' || char === '/' ? `\\${char}` : char),
    (char) => `\\u${hex(char, 4)}`,
    (char) => `\\x${hex(char, 2)}`,
    (char) => `\\u{${hex(char, 1)}}`,
    percent,
    (char) => `%u${hex(char, 4)}`,
    (char) => `&#${char.charCodeAt(0)};`,
    (char) => `&#x${hex(char, 1)};`,
    (char) => `&#0${char.charCodeAt(0)};`,
    (char) => (names[char] === undefined ? `&#x${hex(char, 4)};` : `&${names[char]};`),
  ]
  const alphabet = 'abzAZ019+/=-_.~ "\'&<>%\\$@:!#?{}()öü'
  const randomSecret = (random: () => number) =>
    Array.from(
      { length: 8 + Math.floor(random() * 40) },
      () => alphabet[Math.floor(random() * alphabet.length)],
    ).join('')

  it('hides a secret with escaped characters, even in several layers', () => {
    const random = makeRandom(20_261)
    for (let round = 0; round < 400; round++) {
      const secret = randomSecret(random)
      const redactor = new Redactor([secret])
      const way = escapes[Math.floor(random() * escapes.length)]!
      const share = random()
      // A plain backslash or percent sign could start an escape with the text after it.
      const escaped = Array.from(secret, (char) =>
        random() < share || /[\\%&]/.test(char) ? mixedCase(way(char), random) : char,
      ).join('')
      const layered =
        round % 3 === 0 ? JSON.stringify(escaped) : round % 3 === 1 ? encodeURIComponent(escaped) : escaped
      for (const shown of [escaped, layered]) {
        const text = `{"a\\/b": "before ${shown} after &amp; %20"}`
        expect(redactor.text(text), `${secret} as ${shown}`).to.match(
          /^\{"a\\\/b": "before "?(?:\[redacted\])+"? after &amp; %20"\}$/,
        )
      }
    }
  })

  it('hides a secret in hex, and at any offset inside longer base64', () => {
    const random = makeRandom(4_711)
    for (let round = 0; round < 200; round++) {
      const secret = randomSecret(random)
      const redactor = new Redactor([secret])
      const bytes = Buffer.from(secret)
      for (const shown of [bytes.toString('hex'), bytes.toString('hex').toUpperCase()])
        expect(redactor.text(`x:${shown}.`)).to.equal('x:[redacted].')
      const around = Buffer.from(`user${'x'.repeat(round % 7)}:${secret}${'y'.repeat(round % 5)}`)
      const inJson = Buffer.from(JSON.stringify({ a: 'b'.repeat(round % 3), password: secret }))
      for (const longer of [around, inJson])
        for (const encoding of ['base64', 'base64url'] as const) {
          const text = longer.toString(encoding)
          for (const shown of [
            text,
            encodeURIComponent(text),
            text.replaceAll('/', '\\/'),
            escapedBase64(text),
          ]) {
            const left = redactor.text(`Basic ${shown} end`)
            expect(left, `${secret} in ${shown}`).to.match(/^Basic .*\[redacted\].* end$/)
            // Some of the surrounding text remains, but nothing of the secret that could be decoded.
            expect(left.replaceAll('[redacted]', '').length).to.be.below(shown.length - secret.length + 16)
          }
        }
    }
  })

  it('hides a secret that base64 or hex contains in the escapes of other serializers', () => {
    const secret = 'a/b+c<d>&e"é\'f'
    const redactor = new Redactor([secret])
    const escaped = {
      php: String.raw`a\/b+c<d>&e\"\u00e9'f`,
      python: String.raw`a/b+c<d>&e\"\u00e9'f`,
      go: String.raw`a/b+c\u003cd\u003e\u0026e\"é'f`,
      net: String.raw`a/b\u002Bc\u003Cd\u003E\u0026e\u0022\u00E9\u0027f`,
      url: "a%2fb%2bc%3cd%3e%26e%22%c3%a9'f",
      html: 'a/b+c&lt;d&gt;&amp;e&quot;é&#39;f',
    }
    for (const [maker, text] of Object.entries(escaped))
      for (const before of ['', '{', '{"'])
        for (const encoding of ['base64', 'base64url', 'hex'] as const) {
          const left = redactor.text(`Basic ${Buffer.from(`${before}${text}`).toString(encoding)} end`)
          expect(left, `${maker}, ${encoding}`).to.match(/^Basic \S{0,6}\[redacted\] end$/)
        }
    const powerShell = Buffer.from(`x ${secret}`, 'utf16le').toString('base64')
    expect(redactor.text(powerShell)).to.match(/^\S{0,6}\[redacted\]$/)
  })

  const escapedBase64 = (text: string) =>
    text.replaceAll('+', '\\u002B').replaceAll('/', '&#x2F;').replaceAll('=', '%3d')

  it('hides everything in a text made to slow it down', () => {
    const redactor = new Redactor([`${'a'.repeat(8_000)}b`])
    expect(redactor.text('a'.repeat(200_000))).to.equal('[redacted]')
    expect(redactor.text('ab'.repeat(200_000))).to.have.length(400_000)
    const many = Array.from({ length: 500 }, (_, at) => `same-beginning-${at}-of-all`)
    expect(new Redactor(many).text(`x same-beginning-7-of-all y`)).to.equal('x [redacted] y')
  })

  it('keeps escapes around a secret', () => {
    const redactor = new Redactor(['s3cr3t'])
    expect(redactor.text('a\\/b %C3%B6 &amp; s3cr\\u0033t \\n')).to.equal('a\\/b %C3%B6 &amp; [redacted] \\n')
    expect(redactor.text('a\\/b %zz &nix; \\')).to.equal('a\\/b %zz &nix; \\')
  })

  it('keeps texts without secrets, and values too short to be secrets', () => {
    expect(new Redactor([secret, 'a', '']).text('a cat')).to.equal('a cat')
  })

  it('redacts at every depth, including field names, without changing its input', () => {
    const value = Object.freeze({ list: Object.freeze([{ [secret]: secret }, 1, null]), other: 'x' })
    const shown = new Redactor([secret]).value(value)
    expect(shown).to.deep.equal({ list: [{ '[redacted]': '[redacted]' }, 1, null], other: 'x' })
    expect(value.list[0]).to.have.property(secret)
  })

  it('hides everything over its size limit', () => {
    const secrets = Array.from({ length: 100 }, (_, at) => `secret-${at}`)
    const texts = Array.from({ length: 50 }, (_, at) => `harmless ${at}`)
    expect(new Redactor(secrets).value(texts)).to.equal(texts)
    const shown = new Redactor(secrets, undefined, 520).value([...texts, 'secret-1']) as string[]
    expect(shown[0]).to.equal('harmless 0')
    expect(shown.slice(-2)).to.deep.equal(['[redacted]', '[redacted]'])
  })

  it('returns values without secrets unchanged', () => {
    const value = { list: [1] }
    expect(new Redactor([secret]).value(value)).to.equal(value)
  })

  it('learns tokens from the response that contains them', () => {
    const redactor = new Redactor()
    redactor.learn('{"token_type":"Bearer", "access_token" : "canary-token-1", "expires_in":3600}')
    expect(redactor.text('Bearer canary-token-1')).to.equal('Bearer [redacted]')
  })

  it('redacts a project error completely and keeps its class', () => {
    const cause = Object.assign(new Error(`cause ${secret}`), {
      config: { headers: { authorization: secret } },
      code: 'ECODE',
    })
    const error = new SkillError('code', `message ${secret}`, {
      hint: `hint ${secret}`,
      details: { at: [secret] },
      cause,
    })
    const shown = new Redactor([secret]).error(error, ours)
    expect(shown)
      .to.be.instanceOf(SkillError)
      .and.include({ code: 'code', message: 'message [redacted]', hint: 'hint [redacted]' })
    expect(inspect(shown, { depth: 9, showHidden: true }))
      .not.to.include('wörd')
      .and.not.to.include('authorization')
    expect(inspect(shown)).to.include('ECODE')
  })

  it('keeps only name, code, message and stack of a foreign error', () => {
    const error = Object.assign(new TypeError(`bad ${secret}`), { code: 'ECODE', request: { secret } })
    const shown = new Redactor([secret]).error(error, ours)
    expect(shown).to.include({ name: 'TypeError', message: 'bad [redacted]', code: 'ECODE' })
    expect(shown).not.to.have.property('request')
    expect((shown as Error).stack)
      .to.include('redactor.test')
      .and.not.include('wörd')
  })

  it('wraps thrown values that are not errors', () => {
    expect(new Redactor([secret]).error(`thrown ${secret}`, ours))
      .to.be.instanceOf(Error)
      .and.include({ message: 'thrown [redacted]' })
  })

  it('shares learned secrets between a copy, the original and other copies', () => {
    const original = new Redactor([secret])
    for (let count = 0; count < 5; count++) {
      const [learned, other] = [`learned-${count}`, `other-${count}`]
      const [first, second, unaware] = [original.copy(), original.copy(), original.copy()]
      first.add(learned)
      second.add(learned)
      second.add(other)
      const text = `${secret} ${learned} ${other}`
      expect(first.text(text)).to.equal(`[redacted] [redacted] ${other}`)
      expect(second.text(text)).to.equal('[redacted] [redacted] [redacted]')
      expect(unaware.text(text)).to.equal(`[redacted] ${learned} ${other}`)
      expect(original.text(text)).to.equal(`[redacted] ${learned} ${other}`)
    }
  })

  it('finds each of many secrets, also in a copy', () => {
    const many = Array.from({ length: 400 }, (_, index) => `${index}-of-many-secrets`)
    const redactor = new Redactor(many)
    const copy = redactor.copy()
    copy.add('one-more-secret')
    for (const one of many) {
      expect(redactor.text(one)).to.equal('[redacted]')
      expect(copy.text(Buffer.from(one).toString('base64'))).to.equal('[redacted]')
    }
    expect(copy.text('one-more-secret')).to.equal('[redacted]')
  })
})
