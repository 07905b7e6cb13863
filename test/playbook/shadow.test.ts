import { expect } from 'chai'
import { newRun } from '../../core/engine/turns/queue-run.ts'
import type { Organization } from '../../core/domain/organization.ts'
import { findRivals } from '../../core/playbook/check/find-rivals.ts'
import { callablePlaybooks } from '../../core/playbook/read/callable-playbooks.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import { catalogue, check, parsed } from './support.ts'

const source = (name: string, head = '', on = 'alert: { type: t }, call: true', steps = '[{ return: 1 }]') =>
  `apiVersion: tocsin/v1\nname: ${name}\n${head}on: { ${on} }\nsteps: ${steps}\n`
const shadow = (beside = '', name = 'test-shadow') =>
  source(name, `mode: shadow\n${beside === '' ? '' : `beside: ${beside}\n`}`)

const problems = (text: string, others: Readonly<Record<string, string>> = {}) =>
  check(text, { playbooks: callablePlaybooks(new Map(Object.entries(others)), catalogue) }).map(
    ({ code, message }) => `${code} ${message}`,
  )

describe('a playbook in shadow', () => {
  it('runs beside a live playbook, or alone', () => {
    expect(parsed(shadow('test')).shadow).to.deep.equal({ beside: 'test' })
    expect(parsed(shadow()).shadow).to.deep.equal({ beside: undefined })
    expect(parsed(source('test')).shadow).to.equal(undefined)
    expect(problems(shadow('test'), { test: source('test') })).to.deep.equal([])
  })

  it('is judged on alerts only', () => {
    expect(problems(source('a', 'mode: shadow\n', 'schedule: 0 8 * * *'))).to.deep.equal([
      'E350 a shadow is judged on alerts, and no alert starts this playbook',
    ])
    expect(problems(source('a', 'mode: shadow\n', 'alert: { type: t }, manual: true'))).to.deep.equal([])
  })

  it('needs another playbook beside it, which is live', () => {
    expect(problems(source('a', 'mode: live\n'))).to.deep.equal(["E107 'live' is not one of shadow"])
    expect(problems(source('a', 'beside: b\n'))).to.deep.equal(['E112 `beside` needs `mode: shadow`'])
    expect(problems(shadow('none'), { test: source('test') })).to.deep.equal(["E316 unknown playbook 'none'"])
    expect(problems(shadow('test-shadow'))).to.deep.equal(['E350 a shadow cannot run beside itself'])
    expect(problems(shadow('other'), { other: shadow('', 'other') })).to.deep.equal([
      "E350 'other' runs in shadow itself",
    ])
    expect(problems(shadow('a b'))[0]).to.match(/^E107/)
  })

  it('is not offered as its own live playbook', () => {
    const own = shadow('test-shadov')
    const playbooks = callablePlaybooks(
      new Map(Object.entries({ 'test-shadow': own, other: source('other') })),
      catalogue,
    )
    expect(check(own, { playbooks }).map(({ hint }) => hint)).to.deep.equal(['possible here: other'])
  })

  it('is found out beside another shadow that names it', () => {
    const one = shadow('two', 'one')
    const two = shadow('one', 'two')
    const found = parseTogether(
      [
        { file: 'one.yaml', source: one },
        { file: 'two.yaml', source: two },
      ],
      { catalogue },
    )
    expect(found.map((each) => each.problems.map(({ message }) => message))).to.deep.equal([
      ["'two' runs in shadow itself"],
      ["'one' runs in shadow itself"],
    ])
  })

  it('cannot be called', () => {
    const caller = source('caller', '', 'alert: { type: t }', '[{ call: test-shadow }]')
    expect(problems(caller, { 'test-shadow': shadow() })).to.deep.equal([
      "E317 the playbook 'test-shadow' runs in shadow and cannot be called",
    ])
  })

  it('does not compete for alerts', () => {
    const files = [source('test'), shadow('test')].map((text, at) => ({
      file: `${at}.yaml`,
      playbook: parsed(text),
    }))
    expect(findRivals(files)).to.deep.equal([])
  })

  it('is never started', () => {
    const organization = { uuid: 'o', code: 'acme', name: 'Acme' } as Organization
    expect(() => newRun({ playbook: parsed(shadow()), organization })).to.throw(
      "the playbook 'test-shadow' runs in shadow and is never started",
    )
  })
})
