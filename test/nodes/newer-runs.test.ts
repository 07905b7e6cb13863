import { join } from 'node:path'
import { expect } from 'chai'
import packageJson from '../../package.json' with { type: 'json' }
import type { StoredNode } from '../../core/ports/nodes/node-store.ts'
import type { Run } from '../../core/domain/run.ts'
import { NewerRuns } from '../../server/nodes/newer-runs.ts'
import { orderedVersion, ownProgram } from '../../server/sql/nodes/program-order.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { systemClock } from '../../server/clock.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { openTemporaryStores, type TemporaryStores } from '../support/stores.ts'

const newer = '99.1.0-rc.2'

describe('runs of a newer Tocsin', () => {
  let house: TemporaryStores
  let organizationUuid: string
  const runs = () => house.stores.runs

  beforeEach(async () => {
    house = await openTemporaryStores()
    const organization = await house.stores.organizations.create({ code: 'acme', name: 'Acme' }, somebody())
    await house.stores.providers.create({ code: 'SIEM', name: 'SIEM' }, somebody())
    organizationUuid = organization.uuid
  })
  afterEach(() => house.dispose())

  const queued = (carriesOver?: {
    readonly runUuid: string
    readonly paths: readonly string[]
  }): Promise<Run> =>
    runs().queue({
      organizationUuid,
      playbookName: 'triage',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
      ...(carriesOver && { carriesOver }),
    })

  function inDatabase<T>(work: (connection: SqliteConnection) => T): T {
    const connection = new SqliteConnection(join(house.folder.path, 'tocsin.db'))
    try {
      return work(connection)
    } finally {
      connection.close()
    }
  }
  const setProgram = (uuid: string, program: string) =>
    inDatabase((connection) => connection.run('UPDATE runs SET program = ? WHERE uuid = ?', program, uuid))
  const programOf = (uuid: string) =>
    inDatabase((connection) =>
      connection.get<{ program: string }>('SELECT program FROM runs WHERE uuid = ?', uuid),
    )?.program
  const due = async () => (await runs().due(organizationUuid, 10)).map(({ uuid }) => uuid)

  it('are neither due nor given a turn, and are counted by version', async () => {
    const [own, other] = [await queued(), await queued()]
    expect(programOf(other.uuid)).to.equal(ownProgram)
    setProgram(other.uuid, orderedVersion(newer))
    expect(await due()).to.deep.equal([own.uuid])
    expect(await runs().take(other.uuid)).to.equal(undefined)
    expect(await runs().ofNewer()).to.deep.equal([{ version: newer, runs: 1 }])
    expect(await runs().take(own.uuid)).to.deep.include({ turn: 2 })
    expect(await runs().organizationsWithDue()).to.deep.equal([])
    setProgram(other.uuid, ownProgram)
    expect(await runs().organizationsWithDue()).to.deep.equal([organizationUuid])
    expect(await runs().take(other.uuid)).to.deep.include({ turn: 2 })
    expect(await runs().ofNewer()).to.deep.equal([])
  })

  it('stay with newer nodes if their process crashes repeatedly', async () => {
    const { uuid } = await queued()
    for (let crash = 0; crash < 2; crash++) {
      await runs().take(uuid)
      await runs().recover()
    }
    expect((await runs().suspects()).map((each) => each.uuid)).to.deep.equal([uuid])
    setProgram(uuid, orderedVersion(newer))
    expect(await runs().suspects()).to.deep.equal([])
  })

  it('take the version of the node that has the turn', async () => {
    const { uuid } = await queued()
    for (const before of ['', orderedVersion('0.0.1')]) {
      setProgram(uuid, before)
      expect(await runs().take(uuid)).to.include.keys('turn')
      expect(programOf(uuid)).to.equal(ownProgram)
      await runs().park(uuid, 0)
    }
  })

  it('are retried by newer nodes only, because a retry continues their journal', async () => {
    const { uuid } = await queued()
    await runs().start(uuid, { title: 'x' })
    await runs().end(uuid, { status: 'failed', output: null, error: { code: 'x', message: 'x' } })
    setProgram(uuid, orderedVersion(newer))
    const retry = await queued({ runUuid: uuid, paths: [] })
    expect(programOf(retry.uuid)).to.equal(orderedVersion(newer))
    expect(await due()).to.deep.equal([])
  })

  describe('are watched', () => {
    const node = (program: string, gone: StoredNode['gone'] = null): StoredNode => ({
      id: program,
      name: `host:${program}`,
      program,
      startedAt: 1,
      renewedAt: 1,
      peers: [],
      report: null,
      gone,
    })
    let lines: string[]
    let nodes: StoredNode[]
    let watch: NewerRuns
    const note = (fields: object, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`)
    const log = { debug() {}, info: note, warn: note, error: note }

    beforeEach(() => {
      lines = []
      nodes = []
      watch = new NewerRuns({
        runs: runs(),
        nodes: { list: async () => nodes },
        isShared: true,
        clock: systemClock,
        log,
      })
    })
    afterEach(() => watch.stop())

    const said = (part: string) =>
      eventually(`a line with '${part}'`, async () => {
        watch.lookNow()
        return lines.find((line) => line.includes(part))
      })

    it('and named once, with what to do, until a node of their version is there', async () => {
      const { uuid } = await queued()
      setProgram(uuid, orderedVersion(newer))
      nodes = [node(packageJson.version), node(newer, { at: 1, why: 'left' })]
      watch.start()
      expect(await said('start one')).to.include(`{"count":1,"version":"${newer}"}`)
      expect(watch.waiting(nodes)).to.deep.equal([{ version: newer, runs: 1 }])
      nodes = [node(packageJson.version), node('99.1.0')]
      expect(watch.waiting(nodes)).to.deep.equal([])
      await said('no run waits')
      nodes = [node('99.1.0-rc.1')]
      await said('start one')
      setProgram(uuid, ownProgram)
      await eventually('they go on', async () => lines.filter((line) => line.includes('no run waits'))[1])
      expect(lines).to.have.length(4)
    })

    it('once by a process that is alone and finds none', async () => {
      let looks = 0
      const ofNewer = async () => {
        looks++
        return []
      }
      const alone = new NewerRuns({
        runs: { ofNewer },
        nodes: { list: async () => [] },
        isShared: false,
        clock: systemClock,
        log,
      })
      alone.start()
      await eventually('a look', () => looks === 1 || undefined)
      alone.lookNow()
      await alone.stop()
      expect({ looks, lines }).to.deep.equal({ looks: 1, lines: [] })
    })
  })
})

describe('a server after a downgrade', () => {
  let house: TestTocsin
  before(async () => void (house = await makeTestTocsin()))
  after(() => house?.close())

  it('leaves runs of the newer Tocsin alone, continues the others, and says what to start', async () => {
    await house.addPlaybook('sleeps', '  - wait: 2s')
    const first = await house.start()
    for (let n = 0; n < 2; n++) expect((await house.post('sleeps')).status).to.equal(201)
    const begun = await eventually('both runs wait', async () => {
      const runs = (await first.call('/runs')).body.data as readonly { run_uuid: string; status: string }[]
      return runs.length === 2 && runs.every(({ status }) => status === 'running') ? runs : undefined
    })
    await first.stop()
    const left = begun[0]!.run_uuid
    const database = new SqliteConnection(join(house.folder, 'data/tocsin.db'))
    database.run('UPDATE runs SET program = ? WHERE uuid = ?', orderedVersion(newer), left)
    database.close()
    const second = await house.start()
    const status = async (uuid: string) => (await second.call(`/runs/${uuid}`)).body.status
    await eventually(
      'the other run',
      async () => (await status(begun[1]!.run_uuid)) === 'completed' || undefined,
    )
    expect(await status(left)).to.equal('running')
    const { body } = await second.call('/nodes')
    expect(body.waiting_for_newer).to.deep.equal([{ version: newer, runs: 1 }])
    expect(body.data[0].last_error.message).to.include('start one')
  })
})
