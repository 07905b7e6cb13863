import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stores } from '../../core/ports/stores.ts'
import { readConfig } from '../../server/config/config.ts'
import { rotateKey } from '../../server/store/rotate-key.ts'
import { findMasterKey } from '../../server/store/find-master-key.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { openStoresIn } from '../support/stores.ts'

const canary = 'canary "ü" 4711'
const pin = { type: 'string', 'x-sensitive': true } as const
const form = { type: 'object', properties: { pin } } as const

describe('sensitive values of runs in the database', () => {
  let folder: TemporaryFolder
  let dataDir: string
  let uuid: string
  let checkpointId: string
  let stores: Stores | undefined

  before(async () => {
    folder = await makeTemporaryFolder()
    dataDir = join(folder.path, 'data')
    stores = await openStoresIn(dataDir)
    await write(stores)
  })
  after(async () => {
    await stores?.close()
    await folder.remove()
  })

  async function write({ runs, organizations, journal, checkpoints }: Stores): Promise<void> {
    const organization = await organizations.create({ code: 'ACME', name: 'Acme' }, somebody())
    const given = { organizationUuid: organization.uuid, playbookName: 'p', playbookHash: 'a'.repeat(64) }
    const inputs = { pin: canary }
    ;({ uuid } = await runs.queue({ ...given, alertUuid: null, inputs, isSensitive: true }))
    await runs.start(uuid, { title: 'A case' })
    const sensitive = { input: { fields: { pin: true } }, output: true } as const
    const step = { stepId: null, kind: 'x.y', sensitive, input: { pin: canary }, attempt: 1, startedAt: 1 }
    const ended = {
      state: 'completed',
      output: canary,
      isSensitive: true,
      error: null,
      attempt: 1,
      endedAt: 2,
    } as const
    await journal.begin(uuid, { ...step, path: 'begun' })
    await journal.end(uuid, 'begun', ended)
    await journal.record(uuid, { ...step, path: 'recorded' }, ended)
    await journal.begin(uuid, { ...step, path: 'unknown' })
    await journal.park(uuid, 'unknown')
    await journal.resolve(uuid, 'unknown', { decision: 'ran', output: canary, by: somebody() })
    const open = { stepId: null, kind: 'set', input: null, attempt: 1, startedAt: 1 }
    await journal.record(
      uuid,
      { ...open, path: 'open' },
      { ...ended, output: 'sealed:1:x', isSensitive: false },
    )
    const question = { via: 'operator', input: {}, answers: null, form }
    checkpointId = (await checkpoints.open(uuid, { path: 'asked', stepId: null, question, timeoutAt: 9e15 }))
      .id
    await checkpoints.answer(checkpointId, { value: { pin: canary }, text: canary }, somebody())
    await runs.end(uuid, { status: 'completed', output: { pin: canary }, isSensitive: true, error: null })
  }

  /** Every reader of them. */
  async function read({ runs, journal, journalReader, checkpoints }: Stores) {
    const run = await runs.find('all', uuid)
    const page = await journalReader.page(uuid, { limit: 50, bytes: 1e6 })
    const excerpt = await journal.excerpt(uuid, { first: 10, newest: 10, bytes: 1e6 })
    const checkpoint = await checkpoints.find('all', checkpointId)
    return {
      run: [run?.inputs, run?.output],
      listed: (await runs.list('all', {}, { limit: 1 })).data[0]?.inputs,
      entries: (await journal.entries(uuid)).map(({ path, input, output }) => [path, input, output]),
      lines: page.data.map(({ entry }) => entry),
      excerpt: excerpt.entries,
      entry: await journal.entry(uuid, 'begun'),
      answer: [checkpoint?.answer?.value, checkpoint?.answer?.text],
    }
  }

  const files = () => readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)).toString('latin1'))
  const expectNoCanary = () => {
    for (const file of files()) expect(file).to.not.match(/canary|4711/)
  }

  it('are read as written', async () => {
    const found = await read(stores!)
    expect(found.run).to.deep.equal([{ pin: canary }, { pin: canary }])
    expect(found.listed).to.deep.equal({ pin: canary })
    expect(found.entries).to.deep.equal([
      ['begun', { pin: canary }, canary],
      ['recorded', { pin: canary }, canary],
      ['unknown', { pin: canary }, canary],
      ['open', null, 'sealed:1:x'],
    ])
    expect(found.entry?.sensitive).to.deep.equal({ input: { fields: { pin: true } }, output: true })
    expect(JSON.stringify([found.lines, found.excerpt]).split(JSON.stringify(canary))).to.have.length(13)
    expect(found.answer).to.deep.equal([{ pin: canary }, canary])
  })

  it('are in no file before and after a key rotation, and remain readable', async () => {
    const found = await read(stores!)
    expectNoCanary()
    await stores!.close()
    stores = undefined
    expectNoCanary()
    const [before] = sealedInputs(dataDir)
    rotateKey(readConfig({ TOCSIN_DATA_DIR: dataDir }), somebody())
    expectNoCanary()
    expect(before).to.match(/^sealed:1:/)
    expect(sealedInputs(dataDir)[0]).to.match(/^sealed:2:/)
    stores = await openRotated()
    expect(await read(stores)).to.deep.equal(found)
  })

  it('are copied by a retry, and cannot be opened elsewhere', async () => {
    const { organizationUuid } = (await stores!.runs.find('all', uuid))!
    const next = await stores!.runs.queue({
      organizationUuid,
      playbookName: 'p',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
      carriesOver: { runUuid: uuid, paths: ['begun'] },
    })
    const [entry] = await stores!.journal.entries(next.uuid)
    expect(entry).to.include({ path: 'begun', output: canary, carriedFrom: uuid })
    await stores!.close()
    const database = new SqliteConnection(join(dataDir, 'tocsin.db'))
    database.run(
      `UPDATE journal SET input = (SELECT output FROM journal WHERE path = 'recorded') WHERE path = 'begun'`,
    )
    database.close()
    stores = await openRotated()
    const refused = await stores.journal.entries(uuid).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Error).and.include({ code: 'secret_unreadable' })
  })

  const openRotated = () => {
    const key = findMasterKey(readConfig({ TOCSIN_DATA_DIR: dataDir }))
    return openStoresIn(dataDir, { secrets: createSecretBox(key) })
  }
})

function sealedInputs(dataDir: string): readonly string[] {
  const database = new SqliteConnection(join(dataDir, 'tocsin.db'))
  try {
    return database.all<{ inputs: string }>('SELECT inputs FROM runs').map(({ inputs }) => inputs)
  } finally {
    database.close()
  }
}
