import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { Secret } from '../../core/plugin/index.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { loadMasterKey } from '../../server/secrets/master-key.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { parsePostgresAddress } from '../../server/postgres/driver/address.ts'
import { migrateToPostgres } from '../../server/postgres/move/to-postgres.ts'
import { migrateToSqlite } from '../../server/postgres/move/to-sqlite.ts'
import { openPostgresStores } from '../../server/postgres/stores.ts'
import { newAlert } from '../contract/fixture.ts'
import { adminKey, clockOfFirstRelease, fixture } from '../faults/support/first-release.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { eventually } from '../support/eventually.ts'
import { startServer } from '../support/server/start-server.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { silent } from './support/world.ts'

describePostgres('the data of the first release', () => {
  let folder: TemporaryFolder
  let dataDir: string
  let database: TestDatabase

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    dataDir = join(folder.path, 'data')
    await mkdir(dataDir, { mode: 0o700 })
    await writeFile(join(dataDir, 'tocsin.db'), gunzipSync(await readFile(fixture('tocsin.db.gz'))), {
      mode: 0o600,
    })
    await copyKey(dataDir)
    // Upgrades it.
    const stores = await openStoresIn(dataDir)
    const [organization] = await stores.organizations.list('all')
    await stores.connections.create(
      organization?.uuid ?? '',
      { name: 'SIEM', plugin: 'siem', settings: {}, secrets: { api_key: new Secret('s3cret\0') } },
      somebody(),
    )
    await stores.close()
    database = await createDatabase()
  })
  afterEach(async () => {
    await database.drop()
    await folder.remove()
  })

  it('reads the same through the stores of PostgreSQL, and back in SQLite', async () => {
    const before = await readWith(await openStoresIn(dataDir, { claim: 'shared' }))
    expect(before.alerts).not.to.have.length(0)
    expect(before.secrets.flat()).to.deep.equal(['api_key s3cret\0'])
    await migrate()
    const stores = await openShared()
    expect(await readWith(stores, false)).to.deep.equal(before)
    const [organization] = await stores.organizations.list('all')
    const [provider] = await stores.providers.list()
    const added = await stores.alerts.create({
      ...newAlert(organization ?? expect.fail()),
      provider: provider?.code ?? '',
      content: 'zyx\0',
    })
    const words = await stores.alerts.list('all', { words: 'zyx' }, { limit: 5 })
    expect(words.data.map(({ id }) => id)).to.deep.equal([added.id])
    await stores.close()

    const back = join(folder.path, 'back')
    await migrateToSqlite({
      dataDir: back,
      address: parsePostgresAddress(database.address),
      progress: silent,
    })
    await copyKey(back)
    const again = await openStoresIn(back)
    expect((await again.alerts.find('all', added.id))?.content).to.equal('zyx\0')
    const after = await readWith(again)
    expect({ ...after, alerts: after.alerts.filter(({ id }) => id !== added.id) }).to.deep.equal(before)
  })

  it('is continued by a server on PostgreSQL', async function () {
    this.timeout(120_000)
    const clock = clockOfFirstRelease(join(dataDir, 'tocsin.db'))
    await migrate()
    const key = (await readFile(fixture('master.key'), 'utf8')).trim()
    const env = { ...clock, TOCSIN_STORE: database.address, TOCSIN_MASTER_KEY: key }
    const server = await startServer({ cwd: folder.path, dataDir: 'node', adminKey, env })
    for (;;) {
      const { body } = await server.call('/runs')
      const slept = body.data.find((each: { playbook: string }) => each.playbook === 'sleeps')
      const { body: run } = await server.call(`/runs/${slept.run_uuid}`)
      if (run.ended_at === null) continue
      expect([run.status, run.output]).to.deep.equal(['completed', { slept: true }])
      break
    }
    const checkpoint = await eventually(
      'the question',
      async () => (await server.call('/checkpoints')).body.data[0],
    )
    const answered = await server.call(`/checkpoints/${checkpoint.checkpoint_id}/answer`, {
      body: { answer: 'yes' },
    })
    expect(answered.status).to.equal(200)
    await server.stop()
  })

  const migrate = () =>
    migrateToPostgres({
      dataDir,
      address: parsePostgresAddress(database.address),
      program: '0.1.0',
      progress: silent,
    })

  async function openShared(): Promise<Stores> {
    const { stores } = await openPostgresStores({
      address: database.address,
      secrets: (version) => createSecretBox(loadMasterKey(dataDir, {}, version)),
      clock: Date,
    })
    return stores
  }
})

const copyKey = async (dataDir: string): Promise<void> =>
  writeFile(join(dataDir, 'master.key'), await readFile(fixture('master.key')), { mode: 0o600 })

/** What the stores say about everything. Closes them. */
async function readWith(stores: Stores, isLast = true) {
  const all = { limit: 200 }
  const alerts = (await stores.alerts.list('all', {}, { ...all, contentBytes: 10_000_000 })).data
  const runs = (await stores.runs.list('all', {}, all)).data
  const cases = (await stores.cases.list('all', {}, all)).data
  const connections = await stores.connections.list('all')
  const organizations = await stores.organizations.list('all')
  const found = {
    alerts,
    runs,
    cases,
    organizations,
    connections,
    journals: await Promise.all(
      runs.map(({ uuid }) => stores.journalReader.page(uuid, { limit: 200, bytes: 10_000_000 })),
    ),
    timelines: await Promise.all(cases.map(({ id }) => stores.cases.timeline('all', id, all))),
    secrets: await Promise.all(
      organizations.flatMap(({ uuid }) =>
        connections.map(async ({ name }) => {
          const opened = await stores.connections.open(uuid, name)
          return Object.entries(opened?.secrets ?? {}).map(([field, secret]) => `${field} ${secret.reveal()}`)
        }),
      ),
    ),
    keys: await stores.keys.list(),
    questions: (await stores.checkpoints.list('all', all, { state: 'waiting' })).data,
    playbooks: (await stores.playbooks.list('all', all)).data,
    audit: await stores.audit.verify(),
  }
  if (isLast) await stores.close()
  return found
}
