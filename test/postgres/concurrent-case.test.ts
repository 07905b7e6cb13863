import { expect } from 'chai'
import type { Stores } from '../../core/ports/stores.ts'
import { describePostgres } from '../support/postgres.ts'
import { times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'
import { startTwoWriters, type TwoWriters } from './support/two-writers.ts'

const runs = times(20)

describePostgres('branches of a run that write at the same moment', function () {
  let opened: Awaited<ReturnType<typeof openTemporaryPostgresStores>>
  let writers: TwoWriters
  let stores: Stores

  before(async () => {
    opened = await openTemporaryPostgresStores({ clock: Date })
    stores = opened.stores
    writers = await startTwoWriters(opened.address)
  })
  after(async () => {
    await writers?.close()
    await opened?.dispose()
  })

  it('leave a destructive action in the case that another branch opens', async () => {
    const acme = await stores.organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    const isolating = await Promise.all(
      Array.from({ length: runs }, async () => {
        const newRun = { playbookName: 'contain', playbookHash: 'a'.repeat(64), alertUuid: null }
        const { uuid } = await stores.runs.queue({ organizationUuid: acme.uuid, ...newRun })
        await stores.runs.start(uuid, { title: 'x' })
        await stores.journal.begin(uuid, {
          path: 'isolate',
          stepId: 'isolate',
          kind: 'edr.isolate',
          input: {},
          attempt: 1,
          startedAt: Date.now(),
          destructive: { class: 'containment', input: {} },
        })
        return uuid
      }),
    )
    const end = {
      state: 'completed',
      output: {},
      error: null,
      attempt: 1,
      endedAt: Date.now(),
      call: { connection: null, contains: { skill: 'edr.release', input: {} } },
    }
    const results = await writers.callPairs(
      isolating.map(
        (run) =>
          [
            { store: 'journal', method: 'end', args: [run, 'isolate', end] },
            { store: 'runs', method: 'openCase', args: [run, { title: 'x' }] },
          ] as const,
      ),
      1,
    )
    expect(results.flat().filter((outcome) => 'code' in outcome)).to.deep.equal([])
    const found = await Promise.all(
      isolating.map(async (uuid) => {
        const { caseId } = (await stores.runs.find('all', uuid))!
        const { total } = await stores.cases.actions('all', caseId!, 5)
        const { data } = await stores.containments.list('all', { limit: 5 }, { runUuid: uuid })
        return { actions: total, ofCase: data[0]?.caseId === caseId }
      }),
    )
    expect(found).to.deep.equal(isolating.map(() => ({ actions: 1, ofCase: true })))
  })
})
