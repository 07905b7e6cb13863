import { expect } from 'chai'
import { branchesOf, coverageOf } from '../../core/playbook-test/coverage/coverage.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import { catalogue, playbookOf, playbookSource, testsOf, testsSource } from './support.ts'

const playbook = playbookSource(
  `
  - { id: guarded, if: has(alert.data.a), set: { x: 1 } }
  - id: each
    foreach: \${{ alert.data.list }}
    on_item_error: continue
    uses: people.find
    with: { email: "\${{ item }}" }
  - id: risky
    uses: people.isolate
    with: { id: m }
    on_error:
      - { id: sorry, uses: case.comment, with: { text: "\${{ error.code }}" } }
  - { id: soft, uses: people.find, with: { email: soft }, on_error: continue, default: { name: '', risk: null } }
  - id: fork
    switch:
      - { when: alert.data.way == 1, steps: [{ id: one, return: 1 }] }
      - { when: alert.data.way == 2, steps: [{ id: two, set: { x: 2 } }] }
  - { id: literal, foreach: [1, 2], set: { x: "\${{ item }}" } }`,
  'finally:\n  - { id: last, uses: case.comment, with: { text: bye } }\n',
)

const mocks = `mocks:
  people.find: { example: A person }
  people.isolate: { output: { id: m, state: isolated } }
`

async function missing(tests: string): Promise<readonly string[]> {
  const file = testsOf(playbook, testsSource(tests, mocks))
  const { taken } = await runTests(file, { catalogue })
  return coverageOf(file.playbook, taken).missing.map(({ key }) => key)
}

const all = [
  'guarded run',
  'guarded skip',
  'each run',
  'each empty',
  'each items',
  'each item_error',
  'risky run',
  'risky error',
  'risky/@on_error/sorry run',
  'soft run',
  'soft error',
  'fork run',
  'fork case 0',
  'fork case 1',
  'fork else',
  'fork/0/one run',
  'fork/1/two run',
  'literal run',
  'literal items',
  '@finally/last run',
]

const without = (...taken: readonly string[]) => all.filter((key) => !taken.includes(key))

describe('coverage', () => {
  it('knows every branch of a playbook with its position', () => {
    const branches = branchesOf(playbookOf(playbook))
    expect(branches.map(({ key }) => key)).to.deep.equal(all)
    expect(branches.find(({ key }) => key === 'fork case 1')).to.deep.include({
      label: 'fork: case 2, when alert.data.way == 2',
    })
    expect(branches.at(-1)?.place.line).to.equal(
      playbook.split('\n').findIndex((line) => line.includes('id: last')) + 1,
    )
  })

  it('counts the steps of a run, including a group cut short by `return`', async () => {
    const run = '  - { name: a, alert: { data: { way: 1, list: [] } }, expect: {} }'
    expect(await missing(run)).to.deep.equal(
      without(
        'guarded skip',
        'each run',
        'each empty',
        'risky run',
        'soft run',
        'fork run',
        'fork case 0',
        'fork/0/one run',
        '@finally/last run',
      ),
    )
  })

  it('counts handled failures of steps and items', async () => {
    const run = `
  - name: a
    alert: { data: { way: 3, list: [x], a: 1 } }
    mocks: { people.find: { error: { code: gone } }, people.isolate: { error: { code: no } } }
    expect: { case: { notes: [no, bye] } }`
    expect(await missing(run)).to.deep.equal([
      'guarded skip',
      'each empty',
      'fork case 0',
      'fork case 1',
      'fork/0/one run',
      'fork/1/two run',
    ])
  })

  it('adds up all tests of a file', async () => {
    const data = (text: string) => `alert: { data: { ${text} } }`
    const tests = `
  - { name: a, ${data('way: 1, list: []')}, expect: {} }
  - { name: b, ${data('way: 2, list: [x], a: 1')}, expect: {} }
  - name: c
    ${data('way: 3, list: [x], a: 1')}
    mocks: { people.find: { error: { code: gone } }, people.isolate: { error: { code: no } } }
    expect: {}`
    expect(await missing(tests)).to.deep.equal([])
  })

  it('ignores branches declared unreachable, and reports if a test reaches one', async () => {
    const source = `${testsSource('  - { name: a, alert: { data: { way: 1, list: [] } }, expect: {} }', mocks)}unreachable: [each items, each empty]\n`
    const file = testsOf(playbook, source)
    const { taken, failures } = await runTests(file, { catalogue })
    expect(failures.map(({ message }) => message)).to.deep.equal([`a test took the branch 'each empty'`])
    const { missing: left, total } = coverageOf(file.playbook, taken, new Set(['each items']))
    expect(left.map(({ key }) => key)).not.to.include('each items')
    expect(total).to.equal(all.length - 1)
  })
})
