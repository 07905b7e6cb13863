import { createSecretKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { theServer } from '../../core/domain/audit.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { createSecretBox } from '../../server/secrets/secret-box.ts'
import { loadMasterKey } from '../../server/secrets/master-key.ts'
import type { SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { resealFile } from '../../server/sqlite/file/reseal-file.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { contentOf, largeFile, sha256 } from '../contract/case-file-store.ts'
import { expectRejection } from '../contract/fixture.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { makeDataDir, openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killChildren, startChild } from './child-process.ts'

describe(`files of cases in SQLite (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let folder: TemporaryFolder
  let organizationUuid: string
  let caseId: string
  const random = makeRandom(seed)

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    await makeDataDir(folder.path)
    await inStores(async (stores) => {
      organizationUuid = (await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())).uuid
      caseId = (await stores.cases.create(organizationUuid, { title: 'One' }, theServer, 'a')).id
    })
  })
  afterEach(async () => {
    killChildren()
    await folder.remove()
  })

  async function inStores<T>(work: (stores: Stores) => Promise<T>, options = {}): Promise<T> {
    const stores = await openStoresIn(folder.path, options)
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }
  const attach = (stores: Stores, bytes: Uint8Array) =>
    stores.cases.files.attach(organizationUuid, caseId, { name: 'x', bytes }, theServer)
  const count = (table: string, where = 'true') => {
    const database = new SqliteConnection(join(folder.path, 'tocsin.db'))
    try {
      return database.one<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${where}`).n
    } finally {
      database.close()
    }
  }

  it('survive kill -9 whole or not at all, and what was cut off is cleared away', async () => {
    const acknowledged: string[] = []
    for (let killed = 0; killed < times(1); killed++) {
      const child = startChild('attach-files', [folder.path, organizationUuid, caseId])
      await child.hasPrinted(1)
      await sleep(random() * 60)
      child.process.kill('SIGKILL')
      await child.ended
      acknowledged.push(...child.lines)
    }
    await inStores(async (stores) => {
      while (await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })) continue
      const files = await stores.cases.files.list('all', caseId)
      expect(files.map((file) => file.sha256)).to.include.members(acknowledged)
      for (const file of files) {
        const content = await contentOf(await stores.cases.files.open('all', caseId, file.sha256))
        expect(sha256(content)).to.equal(file.sha256)
      }
      const timeline = await stores.cases.timeline('all', caseId, { limit: 1 })
      expect(timeline.total).to.equal(files.length + 1)
    })
    expect(count('file_contents')).to.equal(count('case_files'))
    expect(count('file_pieces')).to.equal(3 * count('case_files'))
  })

  it('left behind by a killed process count until they are deleted', async () => {
    const fileLimits = { organization: largeFile.length + 100 }
    await inStores(
      async (stores) => {
        await attach(stores, largeFile)
      },
      { fileLimits },
    )
    const database = new SqliteConnection(join(folder.path, 'tocsin.db'))
    database.script("DELETE FROM case_files; UPDATE file_contents SET state = 'arriving'")
    database.close()
    await inStores(
      async (stores) => {
        await expectRejection(attach(stores, Buffer.alloc(101)), 'ConflictError', 'file_quota_reached')
        while (await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })) continue
        await attach(stores, Buffer.alloc(101))
      },
      { fileLimits },
    )
    expect(count('file_pieces')).to.equal(1)
  })

  it('that are arriving are not cleared away', async () => {
    await inStores(async (stores) => {
      const state = { isAttached: false }
      const arriving = attach(stores, largeFile).finally(() => (state.isAttached = true))
      while (!state.isAttached)
        expect(await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })).to.equal(false)
      await arriving
      await contentOf(await stores.cases.files.open('all', caseId, sha256(largeFile)))
    })
  })

  it('count once for each organization, up to its quota', async () => {
    await inStores(
      async (stores) => {
        await attach(stores, Buffer.alloc(60))
        const other = (await stores.cases.create(organizationUuid, { title: 'Two' }, theServer, 'b')).id
        await stores.cases.files.attach(
          organizationUuid,
          other,
          { name: 'y', bytes: Buffer.alloc(60) },
          theServer,
        )
        const refused = attach(stores, Buffer.alloc(41))
        const error = await expectRejection(refused, 'ConflictError', 'file_quota_reached')
        expect(error.message).to.include('have 60 bytes; 41 bytes more would exceed its quota of 100 bytes')
        await attach(stores, Buffer.alloc(40))
      },
      { fileLimits: { organization: 100 } },
    )
    expect(count('file_contents')).to.equal(2)
  })

  it('of a case count up to its limit, also while they arrive', async () => {
    const upload = (stores: Stores, fill: string, bytes: number) => {
      const content = (async function* () {
        yield Buffer.alloc(bytes, fill)
      })()
      const file = { name: fill, content, size: undefined }
      return stores.cases.files.upload(organizationUuid, caseId, file, theServer)
    }
    await inStores(
      async (stores) => {
        const both = await Promise.allSettled([upload(stores, 'a', 60), upload(stores, 'b', 60)])
        const [refused] = both.flatMap((each) => (each.status === 'rejected' ? [each.reason as Error] : []))
        expect(refused).to.include({ code: 'case_files_full' })
        expect(refused?.message).to.include(
          'have 60 bytes; 60 bytes more would exceed its limit of 100 bytes',
        )
        await upload(stores, 'c', 40)
        await expectRejection(attach(stores, Buffer.alloc(1)), 'ConflictError', 'case_files_full')
      },
      { fileLimits: { case: 100, organization: 200 } },
    )
    await inStores(
      async (stores) => {
        const large = upload(stores, 'd', 2_000_000)
        await expectRejection(large, 'ConflictError', 'file_quota_reached')
      },
      { fileLimits: { organization: 1_500_000 } },
    )
  })

  it('that find no room on the disk are not attached, and can be uploaded again', async () => {
    await inStores(async (stores) => {
      const { database } = stores.cases.files as unknown as { readonly database: SqliteDatabase }
      const { connection } = database
      const upload = () => {
        const content = (async function* () {
          yield largeFile
        })()
        const file = { name: 'x', content, size: largeFile.length }
        return stores.cases.files.upload(organizationUuid, caseId, file, theServer)
      }
      connection.pragma(`max_page_count = ${Number(connection.pragma('page_count')) + 300}`)
      await expectRejection(upload(), 'UnavailableError', 'store_unavailable')
      expect(await stores.cases.files.list('all', caseId)).to.deep.equal([])
      connection.pragma('max_page_count = 1000000')
      expect(await upload()).to.include({ isNew: true })
      while (await stores.retention.clearExpired({ idleMs: 1, maxMs: 1 })) continue
    })
    expect(count('file_contents')).to.equal(1)
    expect(count('file_pieces')).to.equal(3)
  })

  it('are encrypted, so that a virus scanner does not take the database for malware, and stay readable with a new master key', async () => {
    const eicar = String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$` + 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'
    await inStores((stores) => attach(stores, Buffer.from(eicar)))
    const path = join(folder.path, 'tocsin.db')
    expect((await readFile(path)).includes('ANTIVIRUS')).to.equal(false)
    const from = loadMasterKey(folder.path, {})
    const to = createSecretBox({
      ...from,
      key: createSecretKey(Buffer.alloc(32, 7)),
      version: from.version + 1,
    })
    resealFile(path, {
      from: createSecretBox(from),
      to,
      version: from.version + 1,
      by: somebody(),
      clock: Date,
      data: 'tocsin.db',
    })
    await inStores(
      async (stores) => {
        const file = await stores.cases.files.open('all', caseId, sha256(eicar))
        expect(String(await contentOf(file))).to.equal(eicar)
      },
      { secrets: to },
    )
  })
})
