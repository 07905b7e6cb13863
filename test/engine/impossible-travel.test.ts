import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Run } from '../../core/domain/run.ts'
import { createRunControl } from '../../core/engine/turns/run-control.ts'
import { createRunner } from '../../core/engine/turns/runner.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { RetryableError, SkillError } from '../../core/plugin/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { openBench, testSkills, type Bench, type TestSkills } from './support/bench.ts'
import { ManualClock, settle } from './support/manual-clock.ts'
import { somebody } from '../support/somebody.ts'

const root = join(import.meta.dirname, '../..')

describe('the impossible-travel playbook', () => {
  let catalogue: Catalogue
  let playbook: Playbook
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(root, 'plugins'), packages: [] })
    const source = readFileSync(join(root, 'playbooks/impossible-travel.yaml'))
    playbook = parsePlaybook(source, { catalogue }).playbook!
  })
  let bench: Bench
  let clock: ManualClock
  beforeEach(async () => {
    clock = new ManualClock()
    bench = await openBench(clock)
    await bench.stores.providers.create({ code: 'siem', name: 'SIEM' }, somebody())
  })
  afterEach(() => bench.close())

  /** Runs an alert until the run ends or waits; `trips` are the countries of bookings. */
  async function investigate(trips: readonly string[], others: TestSkills = {}) {
    const skills: TestSkills = {
      'indicators.extract': () => ({
        all: [
          { kind: 'email', value: 'eve@example.org', places: ['/user/email'] },
          { kind: 'ip', value: '192.0.2.7', places: ['/ip'] },
        ],
      }),
      'intel_provider.get_enrichment': () => ({ risk: { score: 20 } }),
      'travel.search_user_travel': () => ({
        trips: trips.map((country) => ({ countries: ['DE', country], status: 'confirmed' })),
        partial: false,
      }),
      'messaging.checkpoint': { interrupted: 'ask', run: () => ({ channel: 'D1', ts: '1.1' }) },
      'messaging.send_message': { interrupted: 'ask', run: () => ({}) },
      'endpoint_security.isolate_machine': () => ({ finished: false }),
      'case.update': () => ({}),
      'case.comment': () => ({}),
      ...others,
    }
    const { call, interrupted } = testSkills(skills, bench.calls)
    const schemas = (skill: string) => catalogue.skill(skill)?.skill
    const runner = createRunner({
      stores: bench.stores,
      clock,
      log: bench.log,
      loadPlaybook: async () => playbook,
      skills: { call, interrupted },
    })
    const control = createRunControl({ stores: bench.stores, clock, runner, schemas })
    const organization = (await bench.stores.organizations.list('all'))[0]!
    const content = JSON.stringify({
      risk: 70,
      user: { email: 'Eve@Example.org' },
      ip: '192.0.2.7',
      at: '2026-03-01T08:00:00Z',
      country: 'NO',
      machine_id: 'm-1',
    })
    const alert = await bench.stores.alerts.create({
      content,
      provider: 'siem',
      organizationUuid: organization.uuid,
      type: 'impossible_travel',
      createdAtSource: null,
      createdBy: '0',
    })
    const run = await control.start({ playbook: playbook, organization, alert })
    await settle()
    return { run, control }
  }
  const find = async (run: Run) => (await bench.stores.runs.find('all', run.uuid))!
  const called = (skill: string) =>
    bench.calls.filter((call) => call.skill === skill).map(({ input }) => input)
  const waiting = async () =>
    (await bench.stores.checkpoints.list('all', { limit: 1 }, { state: 'waiting' })).data[0]

  it('closes the case if the travel is booked', async () => {
    const { run } = await investigate(['NO'])
    expect(await find(run)).to.deep.include({ status: 'completed', output: { verdict: 'benign' } })
    expect(called('case.update')).to.deep.equal([
      { verdict: 'benign', severity: 'low', summary: 'The travel is booked.' },
    ])
    expect(called('messaging.checkpoint')).to.deep.equal([])
    expect(called('messaging.send_message')).to.deep.equal([
      { text: `Impossible travel for eve@example.org: completed. /runs/${run.uuid}` },
    ])
  })

  it('isolates the machine if it was not the user', async () => {
    const { run, control } = await investigate(['SE'])
    const checkpoint = await waiting()
    expect(called('messaging.checkpoint')).to.deep.equal([
      {
        user: 'eve@example.org',
        message: 'Sign-in from NO at 2026-03-01T08:00:00Z. Was this you?',
        labels: { mine: 'Yes, this was me', not_mine: 'No' },
        styles: { not_mine: 'danger' },
        checkpoint_id: checkpoint?.id,
        answers: ['mine', 'not_mine'],
      },
    ])
    expect(checkpoint).to.deep.include({
      reference: { channel: 'D1', ts: '1.1' },
      timeoutAt: clock.now() + 1_800_000,
    })
    await control.answer('all', checkpoint!.id, { value: 'not_mine', by: somebody('eve'), text: null })
    await settle()
    expect(await find(run)).to.include({ status: 'completed' })
    expect(called('endpoint_security.isolate_machine')).to.deep.equal([
      { id: 'm-1', comment: `Tocsin run ${run.uuid}` },
    ])
    expect(called('case.update')).to.deep.equal([
      { verdict: 'malicious', severity: 'critical', summary: 'Denied by the user.' },
    ])
    expect(called('case.comment')).to.deep.equal([
      { text: 'The isolation of the machine is queued but not confirmed yet.' },
    ])
  })

  it('rates it as suspicious if it was the user, or without a reply', async () => {
    const { run, control } = await investigate([])
    await control.answer('all', (await waiting())!.id, { value: 'mine', by: somebody('eve'), text: null })
    await settle()
    expect(await find(run)).to.include({ status: 'completed' })

    const silent = await investigate([])
    await clock.advance(1_800_000)
    expect(await find(silent.run)).to.include({ status: 'completed' })
    const suspicious = (answer: string) => {
      const summary = `Answer: ${answer}. Risk of the address: 20.`
      return { verdict: 'suspicious', summary }
    }
    expect(called('case.update')).to.deep.equal([suspicious('mine'), suspicious('no_reply')])
    expect(called('endpoint_security.isolate_machine')).to.deep.equal([])
  })

  it('continues without data about the address', async () => {
    const { run, control } = await investigate(['NO'], {
      'intel_provider.get_enrichment': () => {
        throw new RetryableError('http_503', 'busy')
      },
    })
    await clock.advance(60_000)
    expect(called('intel_provider.get_enrichment')).to.have.length(4)
    await control.answer('all', (await waiting())!.id, { value: 'mine', by: somebody('eve'), text: null })
    await settle()
    expect(await find(run)).to.include({ status: 'completed' })
    expect(called('case.comment')).to.deep.equal([{ text: 'Incomplete lookups: the address: busy.' }])
  })

  it('reports the remaining manual work', async () => {
    const { run, control } = await investigate([], {
      'endpoint_security.isolate_machine': () => {
        throw new SkillError('http_404', 'no such machine')
      },
    })
    await control.answer('all', (await waiting())!.id, { value: 'not_mine', by: somebody('eve'), text: null })
    await settle()
    expect(await find(run)).to.include({ status: 'completed' })
    const told = `completed. Isolate the machine manually. /runs/${run.uuid}`
    expect(called('messaging.send_message')).to.deep.equal([
      { text: `Impossible travel for eve@example.org: ${told}` },
    ])
  })
})
