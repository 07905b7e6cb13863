import { expect } from 'chai'
import { branchesOf, coverageOf } from '../../core/playbook-test/coverage/coverage.ts'
import { runTests } from '../../core/playbook-test/run/run-tests.ts'
import { catalogue, playbookOf, playbookSource, testsOf, testsSource } from './support.ts'

const playbook = playbookSource(`
  - id: poll
    uses: people.find
    with: { email: a }
    repeat: { until: output.name != "", every: 1m, max: 3 }
    on_error: continue
  - id: each
    foreach: [x, y]
    steps:
      - { id: inner, uses: people.find, with: { email: "\${{ item }}" } }
    repeat: { until: steps.inner.output.name != "", every: 1m, max: 2 }
    on_error: continue`)

const person = '{ output: { name: Kim, risk: 1 } }'
const nobody = '{ output: { name: "", risk: null } }'

async function missing(pollMocks: string, eachMocks = person): Promise<readonly string[]> {
  const test = `  - { name: a, mocks: { steps.poll: ${pollMocks}, steps.inner: ${eachMocks} }, expect: {} }`
  const file = testsOf(playbook, testsSource(test))
  const { taken, tests } = await runTests(file, { catalogue })
  expect(tests.flatMap(({ failures }) => failures)).to.deep.equal([])
  return coverageOf(file.playbook, taken).missing.map(({ key }) => key)
}

describe('mocks of a repeated step', () => {
  const run = async (mocks: string) => {
    const test = `  - { name: a, mocks: { ${mocks} }, expect: { duration: 2m, calls: [{ step: poll, times: 3 }] } }`
    const file = testsOf(playbook, testsSource(test))
    return (await runTests(file, { catalogue, crash: true })).tests.flatMap(({ failures }) => failures)
  }

  it('return consecutive replies, by step and by skill, also across crashes', async () => {
    const replies = `[${nobody}, ${nobody}, ${person}]`
    expect(await run(`steps.poll: ${replies}, steps.inner: ${person}`)).to.deep.equal([])
    expect(await run(`people.find: ${replies}, steps.inner: ${person}`)).to.deep.equal([])
  })

  it('count separately for each item', async () => {
    const later = `[${nobody}, ${person}]`
    const [failure] = await run(`steps.poll: [${nobody}, ${nobody}, ${person}], steps.inner: ${later}`)
    expect(failure?.message).to.match(/^expected 2m.*, got 4m/)
  })
})

describe('coverage of repeat', () => {
  it('requires a condition that holds at once, later, and never', () => {
    const branches = branchesOf(playbookOf(playbook)).filter(({ key }) => key.startsWith('poll '))
    expect(branches.map(({ key, label }) => `${key} · ${label}`)).to.deep.equal([
      'poll run · poll: runs',
      'poll until · poll: `until` holds',
      'poll again · poll: `until` does not hold the first time',
      'poll exhausted · poll: `until` never holds, up to `max` times',
      'poll error · poll: `on_error`',
    ])
  })

  it('counts each of these cases', async () => {
    expect(await missing(person)).to.deep.equal([
      'poll again',
      'poll exhausted',
      'poll error',
      'each again',
      'each exhausted',
      'each error',
    ])
    const never = await missing(nobody)
    expect(never).to.include('poll until').and.not.include.members(['poll again'])
    expect(never).to.not.include('poll exhausted').and.not.include('poll error')
  })

  it('counts these cases for each item of a foreach', async () => {
    const later = `[{ with: { email: x }, output: { name: Kim, risk: 1 } }, { with: { email: y }, output: { name: "", risk: null } }]`
    expect(await missing(person, later)).to.deep.equal(['poll again', 'poll exhausted', 'poll error'])
  })
})
