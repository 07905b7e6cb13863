import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { personOf } from '../../core/domain/audit.ts'
import type { Organization } from '../../core/domain/organization.ts'
import { dayMs } from '../../core/numbers/number-range.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { newAlert } from '../contract/fixture.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killChildren, startChild } from './child-process.ts'
import { everyAlert } from './every-alert.ts'

const range = { period: dayMs, from: 0, to: Number.MAX_SAFE_INTEGER }
const types = ['phishing', 'sign_in', null]
const ends = [
  { status: 'completed', output: null, error: null },
  { status: 'failed', output: null, error: { code: 'timeout', message: 'x' } },
  { status: 'cancelled', output: null, error: null },
] as const

describe(`numbers (seed ${seed})`, function () {
  this.timeout(times(120_000))
  const random = makeRandom(seed)
  const upTo = (n: number): number => Math.floor(random() * n)
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(async () => {
    killChildren()
    await folder.remove()
  })

  async function withStores<T>(use: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await openStoresIn(folder.path)
    try {
      return await use(stores)
    } finally {
      await stores.close()
    }
  }

  async function work(stores: Stores, { uuid: organizationUuid }: Organization): Promise<void> {
    const { uuid, code } = { uuid: organizationUuid, code: 'Acme' }
    const common = { organizationUuid, playbookHash: 'a'.repeat(64) }
    for (let n = 0; n < 40; n++) {
      const type = types[upTo(3)] ?? null
      const alert = await stores.alerts.create({ ...newAlert({ uuid, code } as Organization), type })
      const group = {
        fingerprint: Buffer.alloc(32, upTo(5)),
        reason: 'x',
        windowMs: dayMs,
        caseTitle: () => 'x',
      }
      const run = { ...common, playbookName: `p${upTo(3)}`, alertUuid: alert.uuid }
      if (upTo(6) === 0) await stores.numbers.catchUp()
      const queued = await stores.runs.queueOrGroup(run, group)
      if (!('run' in queued) || upTo(5) === 0) continue
      const started = await stores.runs.start(queued.run.uuid, { title: 'x' })
      if (upTo(4) === 0) await stores.numbers.catchUp()
      if (started?.caseId && upTo(2) === 0)
        await stores.cases.edit(
          organizationUuid,
          started.caseId,
          { verdict: 'benign' },
          personOf('a'),
          undefined,
        )
      if (upTo(4) > 0) await stores.runs.end(queued.run.uuid, ends[upTo(3)]!)
    }
  }

  async function recount(stores: Stores) {
    const alerts = await everyAlert(stores)
    const counts: Record<string, number[]> = {}
    for (const { type, groupedWith } of alerts) {
      const row = (counts[type ?? ''] ??= [0, 0])
      row[groupedWith === null ? 0 : 1]!++
    }
    const runs: Record<string, number> = {}
    let cursor: string | undefined
    do {
      const page = await stores.runs.list('all', {}, { limit: 200, cursor })
      for (const { endedAt, status, playbookName } of page.data)
        if (endedAt !== null) runs[`${playbookName} ${status}`] = (runs[`${playbookName} ${status}`] ?? 0) + 1
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    const cases = await stores.cases.list('all', { verdict: 'benign' }, { limit: 200 })
    return { counts, runs, decided: cases.total }
  }

  async function rolledUp(stores: Stores) {
    await stores.numbers.catchUp()
    const counts: Record<string, number[]> = {}
    for (const { name, alerts, repeats } of await stores.numbers.alerts('all', range, 'type')) {
      const row = (counts[name] ??= [0, 0])
      row[0]! += alerts
      row[1]! += repeats
    }
    const runs: Record<string, number> = {}
    for (const row of await stores.numbers.runs('all', range))
      for (const status of ['completed', 'failed', 'cancelled'] as const)
        if (row[status] > 0)
          runs[`${row.playbook} ${status}`] = (runs[`${row.playbook} ${status}`] ?? 0) + row[status]
    const measured = await stores.numbers.times('all', range)
    const decided = measured.find(({ at, measure }) => at === null && measure === 'decision')?.count ?? 0
    return { counts, runs, decided }
  }

  it('say the same as a recount, after kill -9 at any moment', async () => {
    const acme = await withStores(async (stores) => {
      await stores.providers.create({ code: 'SIEM', name: 'SIEM' }, somebody())
      return await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    })
    for (let round = 0; round < times(3); round++) {
      await withStores((stores) => work(stores, acme))
      const child = startChild('count-numbers', [folder.path])
      await child.hasPrinted(1 + upTo(3)).catch(() => undefined)
      await sleep(upTo(5))
      child.process.kill('SIGKILL')
      await child.ended
    }
    await withStores(async (stores) => {
      expect(await rolledUp(stores)).to.deep.equal(await recount(stores))
    })
  })
})
