import { expect } from 'chai'
import { failures, playbookSource, results, testsSource } from './support.ts'

const playbook = playbookSource(
  `
  - id: who
    uses: people.find
    with: { email: kim@example.com }
  - { id: pause, wait: 10m }
  - id: risky
    if: steps.who.output.risk != null && steps.who.output.risk > 50
    uses: people.isolate
    with: { id: m-7 }
  - id: each
    foreach: \${{ ['a', 'b'] }}
    steps:
      - { id: tell, uses: people.post, with: { text: "\${{ item }}" } }
  - { uses: case.update, with: { verdict: suspicious, summary: "\${{ steps.who.output.name }}" } }
  - { uses: case.comment, with: { text: seen } }`,
  'outputs: { name: "${{ steps.who.output.name }}", list: [1, 2] }\n',
)

const mocks = `mocks:
  people.find: { example: A person }
  people.post: { output: { id: x } }
`

const expecting = (expected: string) => testsSource(`  - name: as planted\n    expect: ${expected}`, mocks)

const right = `
      status: completed
      path: [who, pause, each, tell, 'each[1]', 'each[1]/tell', 4, 5]
      skipped: [risky]
      calls:
        - { skill: people.find, times: 1, with: { email: kim@example.com }, at: 0s }
        - { step: tell, times: 2, attempts: 2, at: 10m }
        - { skill: people.post, with: { text: b } }
        - { skill: people.isolate, times: 0 }
      case: { title: Odd (demo-custom-1), verdict: suspicious, severity: medium, summary: Kim, notes: [seen] }
      outputs: { name: Kim, list: [1, 2] }
      duration: 10m`

/** For each kind of expectation, a failing one and its message. */
const planted: readonly (readonly [expectation: string, says: RegExp, marked: string])[] = [
  ['{ status: failed }', /error status  expected failed, got completed/, 'failed'],
  ['{ status: not_started }', /error status  expected not_started, got completed/, 'not_started'],
  ['{ path: [pause, who] }', /error path  expected 'who' after 'pause', but it ran before/, 'who'],
  ['{ path: [who, risky] }', /error path  expected 'risky' to run after 'who', but it did not/, 'risky'],
  ["{ path: ['each[2]'] }", /error path  expected 'each\[2\]' to run, but it did not/, "'each[2]'"],
  ['{ path: [who, who] }', /expected 'who' after 'who', but it ran before/, 'who'],
  ['{ skipped: [risky, pause] }', /error skipped  expected 'pause' not to run, but it did/, 'pause'],
  [
    '{ calls: [{ skill: people.post, times: 3 }] }',
    /error calls  expected 3 calls of people.post, got 2/,
    '3',
  ],
  [
    '{ calls: [{ skill: people.isolate }] }',
    /expected a call of people.isolate, but there was none/,
    'skill',
  ],
  [
    '{ calls: [{ step: who, with: { email: bo@example.com } }] }',
    /error calls.with.email  expected "bo@example.com", got "kim@example.com"/,
    'bo@example.com',
  ],
  [
    '{ calls: [{ step: tell, with: { text: c } }] }',
    /with \{"text":"c"\}; it was called with \{"text":"a"\} and \{"text":"b"\}/,
    '{ text: c }',
  ],
  [
    '{ calls: [{ skill: people.post, with: { text: a }, times: 2 }] }',
    /expected 2 calls of people.post with \{"text":"a"\}, got 1; it was called with/,
    '2',
  ],
  [
    '{ calls: [{ step: who, attempts: 2 }] }',
    /error calls.attempts  expected 2 attempts of step 'who', got 1/,
    '2',
  ],
  ['{ calls: [{ step: tell, at: 9m }] }', /error calls.at  expected 9m, got 10m/, '9m'],
  ['{ calls: [{ step: risky, times: 0, at: 9m }] }', /error calls.at  expected a call of step 'risky'/, '9m'],
  ['{ case: { verdict: benign } }', /error case.verdict  expected "benign", got "suspicious"/, 'benign'],
  ['{ case: { notes: [] } }', /error case.notes  expected \[\], got \["seen"\]/, '[]'],
  ['{ outputs: { name: Bo } }', /error outputs.name  expected "Bo", got "Kim"/, 'Bo'],
  ['{ outputs: { list: [1, 3] } }', /error outputs.list.1  expected 3, got 2/, '3'],
  ['{ outputs: { list: [1] } }', /error outputs.list  expected \[1\], got \[1,2\]/, '[1]'],
  ['{ outputs: { nmae: Kim } }', /error outputs.nmae  expected "Kim", got nothing/, 'Kim'],
  ['{ error: { code: http_500 } }', /error error  expected \{"code":"http_500"\}, got null/, '{ code'],
  ['{ duration: 11m }', /error duration  expected 11m, got 10m/, '11m'],
  ['{ duration: { min: 11m } }', /error duration  expected at least 11m, got 10m/, '{ min'],
  ['{ duration: { max: 9m } }', /error duration  expected 0s to 9m, got 10m/, '{ max'],
]

describe('expectations of a test', () => {
  it('are met by a run that meets all of them', async () => {
    const [test] = await results(playbook, expecting(right))
    expect(test!.failures).to.deep.equal([])
    expect(test!.trace).to.equal(
      'who → pause → each → each[0] → each[0]/tell → each[1] → each[1]/tell → 4 → 5',
    )
  })

  for (const [expectation, says, marked] of planted) {
    it(`refuse ${expectation}`, async () => {
      const source = expecting(expectation)
      const [first, ...others] = await failures(playbook, source)
      expect(others).to.deep.equal([])
      expect(first).to.match(says)
      const [head, line = '', carets = ''] = first!.split('\n')
      expect(head).to.match(/^p\.test\.yaml:\d+:\d+ /)
      expect(line.slice(carets.indexOf('^'))).to.satisfy((text: string) => text.startsWith(marked))
    })
  }

  it('explain why a run failed unexpectedly', async () => {
    const source = testsSource(
      '  - name: gone\n    expect: { case: { verdict: unknown } }',
      'mocks:\n  people.find: { error: { code: http_404, message: nobody of that name } }\n',
    )
    const [failure] = await failures(playbook, source)
    expect(failure).to.match(
      /status  expected completed, got failed \(http_404: nobody of that name at step 'who'\)/,
    )
  })

  it('refuse an error of another kind', async () => {
    const source = testsSource(
      '  - name: gone\n    expect: { status: failed, error: { code: http_403 } }',
      'mocks:\n  people.find: { error: { code: http_404 } }\n',
    )
    expect((await failures(playbook, source))[0]).to.match(/error.code  expected "http_403", got "http_404"/)
  })

  it('refuse a run that calls a skill without a mock, even if the playbook handles the failure', async () => {
    const handled = playbookSource(`
  - { id: who, uses: people.find, with: { email: x }, on_error: continue, default: { name: '', risk: null } }`)
    const source = testsSource('  - { name: nothing mocked, expect: { status: completed } }')
    const [failure] = await failures(handled, source)
    expect(failure).to.match(
      /error mock  step 'who' calls people.find, which is not mocked; its input is \{"email":"x"\}/,
    )
    expect(failure).to.match(/hint: add to mocks: steps.who: \{ output: … \}/)
  })

  it('refuse a run whose mock has no reply for the input', async () => {
    const source = testsSource(
      '  - { name: another, expect: { status: failed } }',
      'mocks:\n  people.find: { with: { email: bo@example.com }, example: A person }\n',
    )
    expect((await failures(playbook, source))[0]).to.match(
      /no reply of the mock matches the input that step 'who' gives/,
    )
  })

  it('refuse an alert that does not trigger the playbook, unless expected', async () => {
    const where = playbook.replace('{ type: odd }', '{ type: odd, where: "alert.data.n > 5" }')
    const test = (n: string, status: string) =>
      testsSource(`  - { name: n, alert: { data: { n: ${n} } }, expect: { status: ${status} } }`, mocks)
    expect(await failures(where, test('6', 'completed'))).to.deep.equal([])
    expect(await failures(where, test('5', 'not_started'))).to.deep.equal([])
    expect((await failures(where, test('5', 'completed')))[0]).to.match(
      /got not_started \(`where` does not hold/,
    )
    expect((await failures(where, test('x', 'completed')))[0]).to.match(/got not_started \(`where` cannot be/)
    const typed = testsSource('  - { name: n, alert: { type: even }, expect: {} }', mocks)
    expect((await failures(playbook, typed))[0]).to.match(/alerts of type 'odd', not 'even'/)
  })
})
