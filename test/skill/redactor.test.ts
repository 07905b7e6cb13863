import { expect } from 'chai'
import { inspect } from 'node:util'
import { SkillError, TocsinError } from '../../core/plugin/index.ts'
import { Redactor } from '../../core/skill/redactor.ts'

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

  it('hides an address that is a secret in every way it may be spelt', () => {
    const redactor = new Redactor(['https://Hooks.example.com:443/services/T0/canary?key=canary-key'])
    for (const shown of [
      'https://hooks.example.com/services/T0/canary?key=canary-key',
      'POST https://hooks.example.com/services/T0/canary answered 404',
      'key=canary-key',
    ]) {
      expect(redactor.text(shown), shown).to.include('[redacted]').and.not.include('canary')
    }
  })

  it('leaves texts alone that hold no secret, and secrets too short to be any', () => {
    expect(new Redactor([secret, 'a', '']).text('a cat')).to.equal('a cat')
  })

  it('redacts at every depth, names of fields too, without changing what it was given', () => {
    const value = Object.freeze({ list: Object.freeze([{ [secret]: secret }, 1, null]), other: 'x' })
    const shown = new Redactor([secret]).value(value)
    expect(shown).to.deep.equal({ list: [{ '[redacted]': '[redacted]' }, 1, null], other: 'x' })
    expect(value.list[0]).to.have.property(secret)
  })

  it('hides everything where there is more to look through than it may', () => {
    const secrets = Array.from({ length: 100 }, (_, at) => `secret-${at}`)
    const texts = Array.from({ length: 50 }, (_, at) => `harmless ${at}`)
    expect(new Redactor(secrets).value(texts)).to.equal(texts)
    const shown = new Redactor(secrets, undefined, 5_000).value([...texts, 'secret-1']) as string[]
    expect(shown[0]).to.equal('harmless 0')
    expect(shown.slice(-2)).to.deep.equal(['[redacted]', '[redacted]'])
  })

  it('gives back what holds no secret as it is', () => {
    const value = { list: [1] }
    expect(new Redactor([secret]).value(value)).to.equal(value)
  })

  it('learns tokens from the answer that hands them out', () => {
    const redactor = new Redactor()
    redactor.learn('{"token_type":"Bearer", "access_token" : "canary-token-1", "expires_in":3600}')
    expect(redactor.text('Bearer canary-token-1')).to.equal('Bearer [redacted]')
  })

  it('cleans an error of ours everywhere and keeps its class', () => {
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

  it('leaves name, code, message and stack of a foreign error', () => {
    const error = Object.assign(new TypeError(`bad ${secret}`), { code: 'ECODE', request: { secret } })
    const shown = new Redactor([secret]).error(error, ours)
    expect(shown).to.include({ name: 'TypeError', message: 'bad [redacted]', code: 'ECODE' })
    expect(shown).not.to.have.property('request')
    expect((shown as Error).stack)
      .to.include('redactor.test')
      .and.not.include('wörd')
  })

  it('makes an error of what is none', () => {
    expect(new Redactor([secret]).error(`thrown ${secret}`, ours))
      .to.be.instanceOf(Error)
      .and.include({ message: 'thrown [redacted]' })
  })
})
