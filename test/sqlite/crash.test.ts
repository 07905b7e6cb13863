import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killChildren, startChild } from './child-process.ts'
import { everyAlert } from './every-alert.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'

const rounds = times(4)

describe(`stores after a crash (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(async () => {
    killChildren()
    await folder.remove()
  })

  async function makeOrganization(): Promise<string> {
    const stores = await openStoresIn(folder.path)
    const { uuid } = await stores.organizations.create({ code: 'Acme', name: 'Acme' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'SIEM' }, somebody())
    await stores.close()
    return uuid
  }

  it('have every alert acknowledged before kill -9, and no missing or duplicate sequence number', async () => {
    const organizationUuid = await makeOrganization()
    const random = makeRandom(seed)
    const acknowledged: string[] = []
    for (let round = 0; round < rounds; round += 1) {
      const callers = [1, 8, 64][Math.floor(random() * 3)] ?? 1
      const child = startChild('write-alerts', [folder.path, organizationUuid, String(callers)])
      await child.hasPrinted(1)
      await sleep(random() * 150)
      child.process.kill('SIGKILL')
      expect(await child.ended).to.deep.equal({ code: null, signal: 'SIGKILL' })
      acknowledged.push(...child.lines)
    }
    const stores = await openStoresIn(folder.path)
    const alerts = await everyAlert(stores)
    await stores.close()
    const stored = alerts.map(({ id }) => id)
    const lost = new Set(acknowledged).difference(new Set(stored))
    expect([...lost], 'acknowledged, and lost').to.deep.equal([])
    expect(new Set(acknowledged).size, 'acknowledged under an id of their own').to.equal(acknowledged.length)
    const sequence = stored.toReversed().map((id) => Number(id.split('-')[2]))
    expect(sequence, 'the sequence').to.deep.equal(sequence.map((_, index) => index + 1))
    expect(acknowledged.length).to.be.greaterThan(rounds)
  })

  it('contain acknowledged writes and no refused ones after the disk was full', async function () {
    if (process.platform === 'win32') this.skip()
    const organizationUuid = await makeOrganization()
    // In blocks of 512 or 1024 bytes; the write that exceeds the limit really fails.
    const child = startChild('fill-disk', [folder.path, organizationUuid], 'ulimit -f 2000')
    expect((await child.ended).signal).to.equal('SIGKILL')
    const lines = child.lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const acknowledged = lines.flatMap(({ acknowledged }) =>
      acknowledged === undefined ? [] : [acknowledged],
    )
    const refused = lines.flatMap(({ refused }) => (refused === undefined ? [] : [refused]))
    expect(acknowledged.length).to.be.greaterThan(4)
    expect(refused.length).to.be.greaterThan(4)
    expect(new Set(refused)).to.deep.equal(new Set(['store_unavailable']))
    expect(lines.at(-1)).to.deep.equal({ readable: acknowledged.length })

    const stores = await openStoresIn(folder.path)
    expect((await everyAlert(stores)).map(({ id }) => id)).to.deep.equal(acknowledged.toReversed())
    await stores.probe()
    await stores.close()
  })
})
