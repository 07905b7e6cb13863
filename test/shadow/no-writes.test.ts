import { expect } from 'chai'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PlaybookVersion } from '../../core/backtest/recording.ts'
import { loadTests } from '../../core/playbook-test/read/load-tests.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { sharedReads } from '../../core/shadow/shared-reads.ts'
import { recordingOf } from '../backtest/support.ts'
import { generatedCatalogue, generatedRun } from '../playbook-test/generated-runs.ts'
import { seed, times } from '../support/random.ts'
import { countCalls, inShadow, judge, type CallCounter } from './support.ts'

const folder = join(import.meta.dirname, '../../playbooks')
const live: PlaybookVersion = {
  playbook: parsePlaybook(
    'apiVersion: tocsin/v1\nname: any\non: { alert: { where: true } }\nsteps: [{ return: seen }]\n',
  ).playbook!,
  called: new Map(),
}

describe(`a shadow (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let catalogue: Catalogue
  before(async () => {
    catalogue = await discoverPlugins({ pluginsDir: join(folder, '../plugins'), packages: [] })
  })

  it('of any shipped playbook reads, and sends no write', async () => {
    const counter = countCalls(catalogue)
    const outcomes = new Map<string, number>()
    let n = 0
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.test.yaml'))) {
      const { playbook, called, tests } = (await loadTests(join(folder, file), catalogue)).tests!
      if (playbook.alertTrigger === undefined) continue
      const shadow = { playbook: inShadow(playbook.source, catalogue), called }
      for (const { fixtures } of tests.filter((each) => each.fixtures.alert !== undefined)) {
        const recording = await recordingOf(live, { fixtures, mocks: new Map() }, ++n, catalogue)
        const judged = await judge(shadow, recording, { catalogue, live, call: counter.call })
        const outcome = judged?.summary.reason?.code ?? judged?.outcome ?? 'not started'
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
    }
    expectOnlyReads(counter)
    expect(outcomes.get('differs'), JSON.stringify([...outcomes])).to.be.above(n / 3)
  })

  it('of a generated playbook sends no write', async () => {
    const counter = countCalls(generatedCatalogue)
    const would = new Set<string>()
    for (const from of Array.from({ length: times(24) }, (_, at) => seed * 100 + at)) {
      const { source, options } = await generatedRun(from)
      const data = { email: 'kim@example.com', n: from % 8 }
      const fixtures = { ...fixturesOf(data), inputs: {} }
      const recording = await recordingOf(
        live,
        { fixtures, mocks: new Map() },
        from % 1_000,
        generatedCatalogue,
      )
      const shadow = { playbook: inShadow(source, generatedCatalogue), called: calledIn(options) }
      const judged = await judge(shadow, recording, {
        catalogue: generatedCatalogue,
        live,
        call: counter.call,
      })
      for (const { skill } of judged?.summary.actions ?? []) would.add(skill)
    }
    expectOnlyReads(counter)
    expect([...would]).to.include.members(['people.isolate', 'people.post'])
  })

  const calledIn = ({ catalogue: own, loadPlaybook }: Awaited<ReturnType<typeof generatedRun>>['options']) =>
    new Map([['child', parsePlaybook(loadPlaybook('child.yaml')!, { catalogue: own }).playbook!]])

  const fixturesOf = (data: object) => ({
    nowMs: 0,
    alert: {
      type: 'odd',
      provider: 'splunk',
      content: JSON.stringify(data),
      id: 'acme-splunk-1',
      uuid: '00000000-0000-4000-8000-0000000000ff',
      createdAt: 0,
      createdAtSource: null,
    },
    organization: { code: 'acme', name: 'Acme' },
    state: {},
  })

  function expectOnlyReads({ reads, writes }: CallCounter): void {
    expect(reads).to.be.above(0)
    expect(writes).to.equal(0)
  }

  it('is refused by a second guard if a replay asked for a write', async () => {
    const counter = countCalls(catalogue)
    const clock = { now: () => 0, sleep: async () => {} }
    const reads = sharedReads(counter.call, { catalogue, share: 1, clock, maxWaitMs: 0 })
    for (const [skill, purpose] of [
      ['messaging.send_message', 'run'],
      ['messaging.send_message', 'verify'],
      ['messaging.checkpoint', 'run'],
      ['none.none', 'run'],
    ] as const) {
      const refused = await reads({ skill, purpose } as never).catch((error: unknown) => error)
      expect(String(refused)).to.contain('a shadow may not call')
    }
    expect(counter.writes).to.equal(0)
  })
})
