import { expect } from 'chai'
import {
  googleIssuer,
  requireAllowedDomain,
  rulesFor,
  type GroupRole,
} from '../../core/identity/admission.ts'
import { readIdentity, type PersonIdentity } from '../../core/identity/identity.ts'
import { localPath } from '../../core/identity/local-path.ts'

const anna = { iss: 'https://login.example', sub: 'a-1' }
const identity = (claims: object = {}): PersonIdentity => readIdentity({ ...anna, ...claims }, 'groups')

describe('an identity', () => {
  it('has the first name that the provider gives', () => {
    expect(identity({ name: 'Anna', preferred_username: 'anna' }).name).to.equal('Anna')
    expect(identity({ preferred_username: 'anna', email: 'a@x.example' }).name).to.equal('anna')
    expect(identity({ email: 'a@x.example' }).name).to.equal('a@x.example')
    expect(identity().name).to.equal('a-1')
  })
  it('has a name without line breaks and characters that change the direction of text', () => {
    expect(identity({ name: 'Anna\n\u202eadmin\u0000' }).name).to.equal('Anna admin')
    expect(identity({ name: 'x'.repeat(1_000) }).name).to.have.length(200)
  })
  it('has a verified address only if the provider says the boolean true', () => {
    for (const given of ['true', 1, undefined, false])
      expect(identity({ email: 'a@x.example', email_verified: given }).isEmailVerified).to.equal(false)
    expect(identity({ email: 'a@x.example', email_verified: true }).isEmailVerified).to.equal(true)
  })
  it('prefers a claim whose name has dots to a path', () => {
    const claims = { ...anna, 'https://x.example/groups': ['a'], x: { y: ['b'] }, 'x.y': ['c'] }
    expect(readIdentity(claims, 'https://x.example/groups').groups).to.deep.equal(['a'])
    expect(readIdentity(claims, 'x.y').groups).to.deep.equal(['c'])
    expect(readIdentity(claims, '__proto__.constructor').groups).to.deep.equal([])
  })
})

describe('allowed domains of addresses', () => {
  const refused = (one: PersonIdentity, domains = ['example.com']) => {
    try {
      requireAllowedDomain(one, domains)
      return false
    } catch {
      return true
    }
  }
  const mail = (email: string, more: object = {}) => identity({ email, email_verified: true, ...more })

  it('are compared exactly, without letter case', () => {
    expect(refused(mail('a@Example.COM'))).to.equal(false)
    for (const email of [
      'a@example.com.evil.example',
      'a@evilexample.com',
      'a@example.com@evil.example',
      'example.com',
    ])
      expect(refused(mail(email)), email).to.equal(true)
  })
  it('need a verified address', () => {
    expect(refused(mail('a@example.com', { email_verified: false }))).to.equal(true)
    expect(refused(identity())).to.equal(true)
    expect(refused(identity(), [])).to.equal(false)
  })
  it('mean the hosted domain at Google', () => {
    expect(refused(mail('a@example.com', { iss: googleIssuer }))).to.equal(true)
    expect(refused(mail('a@other.example', { iss: googleIssuer, hd: 'example.com' }))).to.equal(false)
    expect(refused(mail('a@example.com', { hd: 'evil.example' }))).to.equal(false)
  })
})

describe('the mapping from groups to roles', () => {
  const rule = (group: string, role: string): GroupRole => ({ group, role, organizationCodes: undefined })
  it('compares groups exactly, and gives nothing to people in none of them', () => {
    const rules = [rule('soc', 'analyst'), rule('SOC', 'admin'), rule('other', 'reader')]
    expect(rulesFor(rules, ['soc']).map(({ role }) => role)).to.deep.equal(['analyst'])
    expect(rulesFor(rules, ['so', 'soc ', 'soc-2'])).to.deep.equal([])
    expect(rulesFor([...rules, rule('*', 'reader')], [])).to.deep.equal([rule('*', 'reader')])
    expect(rulesFor([rule('soc', 'analyst')], ['*'])).to.deep.equal([])
  })
})

describe('an address to return to', () => {
  it('is a path of this server', () => {
    for (const path of ['/', '/cases/acme-1?tab=files#x', '/runs?sort=-created_at&limit=5'])
      expect(localPath(path)).to.equal(path)
    expect(localPath('/a/../cases')).to.equal('/cases')
  })
  it('never leads to another site', () => {
    for (const text of [
      '',
      'cases',
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/.//evil.example',
      '/x/..//evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      ' //evil.example',
      '/@evil.example\u0000',
      'javascript:alert(1)',
      `/${'x'.repeat(3_000)}`,
    ])
      expect(localPath(text), JSON.stringify(text)).to.equal(undefined)
  })
})
