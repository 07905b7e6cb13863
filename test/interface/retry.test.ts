import { expect } from 'chai'
import { createInterfaceCalls } from '../../core/interface/interface-calls.ts'
import { SkillError } from '../../core/plugin/index.ts'
import { openBench, type Bench, type TestSkills } from '../engine/support/bench.ts'
import { rehearsal } from '../retry/support.ts'
import { somebody } from '../support/somebody.ts'
import { systemClock } from '../../server/clock.ts'
import { readSteps, vendors } from './support.ts'

const playbook = readSteps(`  - id: find
    uses: interface.find_machine
    with: { kind: host, value: web-1 }
  - id: contain
    uses: interface.isolate_machine
    with: { machine: "\${{ steps.find.output.machines[0] }}", comment: ACME-7 }
  - id: ticket
    uses: interface.create_ticket
    with: { title: Contained, description: x, severity: high }
`)

describe('a retry of a run with interfaces', () => {
  let bench: Bench
  beforeEach(async () => {
    bench = await openBench(systemClock)
    for (const [name, plugin] of [
      ['edr', 'north'],
      ['itsm', 'south'],
    ] as const)
      await bench.stores.connections.create(
        bench.organizationUuid,
        { name, plugin, settings: {}, secrets: {} },
        somebody(),
      )
  })
  afterEach(() => bench.close())

  const skills = (broken: string): TestSkills => {
    const answer = (name: string, output: unknown) => () => {
      if (name === broken) throw new SkillError('http_400', 'refused')
      return output
    }
    return {
      'north.list_devices': answer('find', { devices: [{ aid: 'n-1', pin: 'p' }] }),
      'south.search': answer('search', { hits: [] }),
      'north.contain': answer('contain', { state: 'contained' }),
      'south.open_incident': answer('ticket', { number: 1 }),
    }
  }

  for (const [broken, again] of [
    ['ticket', ['south.open_incident']],
    ['contain', ['north.contain', 'south.open_incident']],
  ] as const) {
    it(`calls again only what did not complete, if ${broken} failed`, async () => {
      const interfaces = createInterfaceCalls(vendors, bench.stores.connections)
      const { first, goOn, retries } = rehearsal(bench, [playbook], interfaces)
      const { run } = await first(playbook, skills(broken))
      expect(run.status).to.equal('failed')
      bench.calls.length = 0
      const { run: second, outcome } = await goOn(
        await retries.retry('all', run.uuid, 'same', somebody()),
        skills(''),
      )
      expect(outcome.status).to.equal('completed')
      expect(bench.calls.map(({ skill }) => skill)).to.deep.equal(again)
      const entries = await bench.stores.journal.entries(second.uuid)
      const carried = entries.filter(({ carriedFrom }) => carriedFrom !== undefined).map(({ path }) => path)
      expect(carried).to.include.members(['find', 'find/@choice', 'find/@call[0]', 'find/@call[1]'])
    })
  }
})
