import { expect } from 'chai'
import { completed, newAlert } from '../contract/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'

describe('repeats of an alert in SQLite', () => {
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(() => folder.remove())

  it('end at the next start if the process stopped between the end of the run and theirs', async () => {
    const stores = await openStoresIn(folder.path)
    const acme = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'x' }, somebody())
    const group = { fingerprint: Buffer.alloc(32), reason: 'x', windowMs: 60_000, caseTitle: () => 'x' }
    const post = async () => {
      const { uuid: alertUuid } = await stores.alerts.create(newAlert(acme))
      const run = { organizationUuid: acme.uuid, playbookName: 'p', playbookHash: 'h', alertUuid }
      return await stores.runs.queueOrGroup(run, group)
    }
    const first = await post()
    const uuid = 'run' in first ? first.run.uuid : expect.fail('it was grouped')
    await stores.runs.start(uuid, { title: 'x' })
    await Promise.all(Array.from({ length: 2_500 }, post))
    // The first thousand end in the same write as the run. The next one is left for a later write.
    const ending = stores.runs.end(uuid, completed).catch(() => undefined)
    await stores.close()
    await ending

    const later = await openStoresIn(folder.path)
    const count = async (status: 5 | 15) => (await later.alerts.list('all', { status }, { limit: 1 })).total
    expect(await count(5), 'left behind').to.be.above(0)
    await later.runs.recover()
    expect([await count(5), await count(15)]).to.deep.equal([0, 2_501])
    await later.close()
  })
})
