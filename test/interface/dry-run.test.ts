import { expect } from 'chai'
import { dryRun } from '../../core/dry-run/dry-run.ts'
import { parseWorld } from '../../core/playbook-test/read/parse.ts'
import { readSteps, vendors } from './support.ts'

const playbook = readSteps(`  - id: contain
    uses: interface.isolate_machine
    with: { machine: { id: n-1 }, comment: ACME-7 }
  - return: \${{ steps.contain.output }}
`)
const edr = { name: 'edr', plugin: 'north', enabled: true }
const endpoints = { name: 'endpoints', plugin: 'south', enabled: true }

async function dry(connections?: readonly object[], world = '{}') {
  const parsed = parseWorld(world, playbook, { catalogue: vendors })
  expect(parsed.problems).to.deep.equal([])
  const { fixtures, mocks } = parsed.world!
  const { outcome, wouldDo } = await dryRun({
    playbook,
    catalogue: vendors,
    fixtures: fixtures({}),
    mocks,
    live: () => expect.fail('a write was called'),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...(connections && { connections: { list: async () => connections } as never }),
  })
  return { outcome, would: wouldDo.map(({ skill, connection, input }) => ({ skill, connection, input })) }
}

describe('a dry run with interfaces', () => {
  it('shows which vendor would act, with its input', async () => {
    const { outcome, would } = await dry([edr])
    expect(would).to.deep.equal([{ skill: 'north.contain', connection: 'edr', input: { aid: 'n-1' } }])
    expect(outcome).to.deep.include({ status: 'completed', output: { status: 'done', reference: null } })
  })

  it('finds that several could act, or none', async () => {
    expect((await dry([edr, endpoints])).outcome?.error).to.include({ code: 'connection_ambiguous' })
    expect((await dry([])).outcome?.error).to.include({ code: 'connection_missing' })
  })

  it('shows the interface where no connections are known, or it is mocked', async () => {
    const itself = [
      {
        skill: 'interface.isolate_machine',
        connection: undefined,
        input: { machine: { id: 'n-1' }, comment: 'ACME-7' },
      },
    ]
    expect((await dry()).would).to.deep.equal(itself)
    const mocked = await dry(
      [edr, endpoints],
      'mocks: { interface.isolate_machine: { output: { status: pending } } }',
    )
    expect(mocked.would).to.deep.equal(itself)
    expect(mocked.outcome?.output).to.deep.equal({ status: 'pending', reference: null })
  })
})
