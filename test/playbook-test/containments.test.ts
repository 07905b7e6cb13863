import { expect } from 'chai'
import { failures, playbookSource, problemsOf, testsSource } from './support.ts'

const isolated = (undo: string, more = '') =>
  playbookSource(`
  - { id: cut, uses: edr.isolate, with: { machine: WS-1 }${undo} }${more}`)
const expecting = (containments: string) =>
  testsSource(`
  - name: t
    expect: { containments: ${containments} }`)
const told = async (playbook: string, containments: string) =>
  (await failures(playbook, expecting(containments))).map((failure) => failure.split('\n')[0])
const malicious = ', undo: { after: 4h, unless: case.verdict == "malicious" }'
const verdict = '\n  - { uses: case.update, with: { verdict: malicious } }'

describe('expect.containments', () => {
  it('lists what the run leaves, and when it expires', async () => {
    const all = '[{ step: cut, skill: edr.isolate, expires: 4h, at_expiry: undone }]'
    expect(await told(isolated(', undo: { after: 4h }'), all)).to.deep.equal([])
    expect(await told(isolated(', undo: { after: 240m }'), '[{ expires: 4h0m }]')).to.deep.equal([])
    expect(await told(isolated(''), '[{ expires: null, at_expiry: null }]')).to.deep.equal([])
  })

  it('decides with the case as the run leaves it', async () => {
    expect(await told(isolated(malicious), '[{ at_expiry: undone }]')).to.deep.equal([])
    expect(await told(isolated(malicious, verdict), '[{ at_expiry: kept }]')).to.deep.equal([])
    const failing = ', undo: { after: 4h, unless: "[true][size(case.title)]" }'
    expect(await told(isolated(failing), '[{ at_expiry: overdue }]')).to.deep.equal([])
  })

  it('leaves out what the run undid itself, and calls that did not happen', async () => {
    const released = '\n  - { uses: edr.release, with: { machine: WS-1 } }'
    expect(await told(isolated(malicious, released), '[]')).to.deep.equal([])
    const other = '\n  - { uses: edr.release, with: { machine: WS-2 } }'
    expect(await told(isolated(malicious, other), '[{ step: cut }]')).to.deep.equal([])
    expect(await told(isolated(', if: now < timestamp("2000-01-01T00:00:00Z")'), '[]')).to.deep.equal([])
  })

  it('names the items of a foreach', async () => {
    const each = playbookSource(`
  - { id: cut, foreach: [a, b], uses: edr.isolate, with: { machine: "\${{ item }}" }, undo: { after: 1d } }`)
    expect(await told(each, '[{ step: "cut[0]" }, { step: "cut[1]", expires: 1d }]')).to.deep.equal([])
  })

  it('says what is different', async () => {
    expect(await told(isolated(malicious), '[{ step: cut, expires: 8h, at_expiry: kept }]')).to.deep.equal([
      'p.test.yaml:4:52  error containments.0.expires  expected "8h", got "4h"',
      'p.test.yaml:4:67  error containments.0.at_expiry  expected "kept", got "undone"',
    ])
    expect((await told(isolated(malicious), '[]'))[0]).to.include('error containments')
    expect((await told(isolated(malicious), '[{}, {}]'))[0]).to.include('error containments')
  })

  it('reports values that it cannot have', () => {
    const problems = (containments: string) =>
      problemsOf(isolated(malicious), expecting(containments)).map((problem) => problem.split('\n')[0])
    for (const [wrong, message] of [
      ['cut', 'expected a list'],
      ['[cut]', 'expected a map for an expected containment'],
      ['[{ step: cutt }]', "the playbook has no step 'cutt'"],
      ['[{ skill: edr.isolat }]', "there is no skill 'edr.isolat'"],
      ['[{ expires: soon }]', "'soon' is not a duration"],
      ['[{ at_expiry: released }]', 'releas'],
      ['[{ undone: 4h }]', "unknown key 'undone'"],
    ] as const)
      expect(problems(wrong)[0], wrong).to.include(message)
  })
})
