import { expect } from 'chai'
import { findRivals } from '../../core/playbook/check/find-rivals.ts'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import { shadowsFor, watchedShadow } from '../../core/shadow/shadow-rules.ts'
import { catalogue, check, parsed } from './support.ts'

const source = (name: string, head = '', on = 'alert: { type: t }, call: true', steps = '[{ return: 1 }]') =>
  `apiVersion: tocsin/v1\nname: ${name}\n${head}on: { ${on} }\nsteps: ${steps}\n`
const of = (code: string) => `organization: ${code}\n`
const calling = (name: string) => `[{ call: ${name} }]`
const onAlert = 'alert: { type: t }'

const codes = (text: string, others: Readonly<Record<string, string>> = {}, known?: object) =>
  check(text, {
    playbooks: callablePlaybooks(new Map(Object.entries(others)), catalogue),
    known: known && { connections: [], providers: [], ...known },
  }).map(({ code, message }) => `${code} ${message}`)

describe('a playbook of an organization', () => {
  it('names its code, as written', () => {
    expect(parsed(source('a', of('Acme'))).organization).to.equal('Acme')
    expect(parsed(source('a')).organization).to.equal(undefined)
  })

  it('names one organization by a valid code', () => {
    for (const wrong of ['a-b', '"acme corp"', '[acme]', '{}', '""', 'null'])
      expect(codes(source('a', of(wrong)))[0], wrong).to.match(/^E10[67] /)
  })

  it('names a known organization, in any case of letters', () => {
    const known = { organizations: ['acme', 'globex'] }
    expect(codes(source('a', of('ACME')), {}, known)).to.deep.equal([])
    expect(codes(source('a', of('amce')), {}, known)).to.deep.equal(["E323 unknown organization 'amce'"])
    // Of somebody who sees some organizations only.
    const some = { organizations: ['acme'], otherOrganizations: true }
    expect(codes(source('a', of('globex')), {}, some)).to.deep.equal(["E323 unknown organization 'globex'"])
  })

  it('has schedules for that organization only', () => {
    const schedule = (organizations: string) =>
      `schedule: { cron: "0 8 * * *", organizations: [${organizations}] }`
    expect(codes(source('a', of('acme'), schedule('Acme')))).to.deep.equal([])
    expect(codes(source('a', of('acme'), schedule('acme, globex')))).to.deep.equal([
      "E325 the playbook belongs to the organization 'acme' and does not run for 'globex'",
    ])
    const some = { organizations: ['acme'], otherOrganizations: true }
    expect(codes(source('a', '', schedule('globex')), {}, some)).to.deep.equal([])
  })

  it('uses connections of that organization only', () => {
    const connections = [
      { name: 'ours', plugin: 'intel_provider', organization: 'acme' },
      { name: 'theirs', plugin: 'intel_provider', organization: 'globex' },
    ]
    const using = (connection: string) =>
      `[{ uses: intel_provider.get_enrichment, connection: ${connection}, with: { kind: ip, value: 192.0.2.1 } }]`
    const found = (head: string, connection: string) =>
      codes(source('a', head, onAlert, using(connection)), {}, { connections }).filter((problem) =>
        problem.startsWith('E'),
      )
    expect(found(of('ACME'), 'ours')).to.deep.equal([])
    expect(found(of('acme'), 'theirs')[0]).to.match(/^E304 /)
    expect(found('', 'theirs')).to.deep.equal([])
  })

  it('calls playbooks of the same organization and shared ones, and is called by the same only', () => {
    const others = {
      ours: source('ours', of('ACME')),
      theirs: source('theirs', of('globex')),
      all: source('all'),
    }
    const found = (head: string, name: string) => codes(source('a', head, onAlert, calling(name)), others)
    expect(found(of('acme'), 'ours')).to.deep.equal([])
    expect(found(of('acme'), 'all')).to.deep.equal([])
    expect(found('', 'all')).to.deep.equal([])
    expect(found(of('acme'), 'theirs')).to.deep.equal([
      "E325 the playbook 'theirs' belongs to the organization globex, and this one to the organization acme",
    ])
    expect(found('', 'theirs')).to.deep.equal([
      "E325 the playbook 'theirs' belongs to the organization globex, and this one to all organizations",
    ])
  })

  it('is not called by a shared playbook in between', () => {
    const files = [
      { file: 'a.yaml', source: source('a', of('acme'), onAlert, calling('b')) },
      { file: 'b.yaml', source: source('b', '', 'call: true', calling('c')) },
      { file: 'c.yaml', source: source('c', of('acme'), 'call: true') },
    ]
    const found = parseTogether(files, { catalogue })
    expect(found.map(({ problems }) => problems.map(({ code }) => code))).to.deep.equal([
      ['E317'],
      ['E325'],
      [],
    ])
  })

  it('has shadows of the same organization beside it', () => {
    const shadow = (head: string, beside: string) => source('a', `${head}mode: shadow\nbeside: ${beside}\n`)
    const others = { ours: source('ours', of('acme')), all: source('all') }
    expect(codes(shadow(of('acme'), 'ours'), others)).to.deep.equal([])
    expect(codes(shadow('', 'ours'), others)[0]).to.match(/^E325 /)
    expect(codes(shadow(of('acme'), 'all'), others)).to.deep.equal([
      "E325 'all' belongs to all organizations, and this one to the organization acme",
    ])
    expect(codes(source('a', `${of('acme')}mode: shadow\n`), others)).to.deep.equal([])
  })

  it('is judged in shadow on alerts of that organization only', () => {
    const watched = [
      ...watchedShadow(parsed(source('own', `${of('Acme')}mode: shadow\n`))),
      ...watchedShadow(parsed(source('shared', 'mode: shadow\n'))),
    ]
    const ended = (organization: string) =>
      shadowsFor(watched, { playbookName: 'p', alert: { type: 't', provider: 'siem' }, organization })
    expect(ended('acme')).to.deep.equal(['own', 'shared'])
    expect(ended('globex')).to.deep.equal(['shared'])
  })

  it('competes for alerts with those of the same organization only', () => {
    const rivals = (...sources: readonly string[]) =>
      findRivals(sources.map((text, at) => ({ file: `${at}.yaml`, playbook: parsed(text) }))).map(
        ({ code }) => code,
      )
    expect(rivals(source('a', of('acme')), source('b', of('globex')), source('c'))).to.deep.equal([])
    expect(rivals(source('a', of('acme')), source('b', of('ACME')))).to.deep.equal(['W701'])
    // A name is a file, whoever it belongs to.
    expect(rivals(source('a', of('acme')), source('a', of('globex')))).to.deep.equal(['E701'])
  })
})
