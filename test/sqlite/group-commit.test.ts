import { join } from 'node:path'
import { expect } from 'chai'
import { known } from '../../server/sql/database/work.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { SqliteDatabase } from '../../server/sqlite/database/sqlite-database.ts'
import { GroupCommit, type GroupCommitOptions } from '../../server/sqlite/database/group-commit.ts'
import { expectRejection } from '../contract/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('GroupCommit', () => {
  let folder: TemporaryFolder
  let database: SqliteConnection
  let commits: GroupCommit

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    database = new SqliteConnection(join(folder.path, 'test.db'), { busyTimeoutMs: 0 })
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.script('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
    commits = new GroupCommit(new SqliteDatabase(database))
  })

  afterEach(async () => {
    database.close()
    await folder.remove()
  })

  const insert = (n: number, text = '') => known(database.insert('INSERT INTO t VALUES (?, ?)', n, text))
  const rows = () => database.all<{ n: number }>('SELECT n FROM t ORDER BY n').map(({ n }) => n)

  it('commits all writes of one turn together', async () => {
    const inTransaction: boolean[] = []
    let changesSeen: unknown
    const other = new SqliteConnection(join(folder.path, 'test.db'))
    const writes = [1, 2, 3].map((n) =>
      commits.write(() => {
        inTransaction.push(database.inTransaction)
        changesSeen = other.all('SELECT n FROM t')
        return insert(n)
      }),
    )
    expect(rows()).to.deep.equal([])
    expect(await Promise.all(writes)).to.deep.equal([1, 2, 3])
    expect(inTransaction).to.deep.equal([true, true, true])
    expect(changesSeen, 'nothing is visible to others before the commit').to.deep.equal([])
    expect(other.all('SELECT n FROM t')).to.have.length(3)
    other.close()
  })

  describe('with writes in consecutive turns of the event loop', () => {
    const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
    /** Writes one row per turn; returns the sizes of the commits. */
    async function writeOnePerTurn(count: number, options: GroupCommitOptions = {}): Promise<number[]> {
      const sizes: number[] = []
      const gathering = new GroupCommit(new SqliteDatabase(database), {
        ...options,
        onCommit: ({ writes }) => sizes.push(writes),
      })
      const writes: Promise<unknown>[] = []
      for (let n = 1; n <= count; n++) {
        writes.push(gathering.write(() => insert(n)))
        await turn()
      }
      await Promise.all(writes)
      return sizes
    }

    it('commits them together', async () => {
      const sizes = await writeOnePerTurn(100)
      expect(sizes.length).to.be.lessThan(5)
      expect(rows()).to.have.length(100)
    })

    it('commits after a limited number of turns, however many arrive', async () => {
      expect(Math.max(...(await writeOnePerTurn(200)))).to.be.lessThan(40)
    })

    it('commits as soon as the group is full', async () => {
      let written = 0
      let writtenAtCommit: number | undefined
      const onCommit = () => (writtenAtCommit ??= written)
      const small = new GroupCommit(new SqliteDatabase(database), {
        maxGatherMs: Infinity,
        maxGroup: 4,
        onCommit,
      })
      for (; written < 20; written++) {
        void small.write(() => insert(100 + written))
        await turn()
      }
      await small.close()
      expect(writtenAtCommit).to.be.lessThan(8)
    })

    it('does not wait after a turn without writes', async () => {
      let commitsSeen = 0
      const lone = new GroupCommit(new SqliteDatabase(database), { onCommit: () => commitsSeen++ })
      const write = lone.write(() => insert(1))
      for (let turns = 0; turns < 3; turns++) await turn()
      expect(commitsSeen).to.equal(1)
      await write
    })
  })

  it('resolves no promise before the commit', async () => {
    let acknowledged = 0
    const writes = [1, 2].map((n) => commits.write(() => insert(n)).then(() => (acknowledged += 1)))
    await commits.write(() => known(expect(acknowledged).to.equal(0)))
    await Promise.all(writes)
    expect(acknowledged).to.equal(2)
  })

  it('rolls back only a write that throws', async () => {
    const boom = new Error('boom')
    const outcomes = await Promise.allSettled([
      commits.write(() => insert(1)),
      commits.write(() => {
        insert(2)
        throw boom
      }),
      commits.write(() => insert(1)),
      commits.write(() => insert(3)),
    ])
    expect(outcomes.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    expect(outcomes[1]).to.have.property('reason', boom)
    expect(outcomes[2]).to.have.nested.property('reason.code', 'SQLITE_CONSTRAINT_PRIMARYKEY')
    expect(rows()).to.deep.equal([1, 3])
  })

  it('rejects the whole group if the disk is full, and recovers when there is room', async () => {
    await commits.write(() => insert(1))
    const pages = Number(database.pragma('page_count'))
    database.pragma(`max_page_count = ${pages + 1}`)
    const group = [
      commits.write(() => insert(2)),
      commits.write(() => insert(3, 'x'.repeat(50_000))),
      commits.write(() => insert(4)),
    ]
    for (const write of group) {
      const error = await expectRejection(write, 'UnavailableError', 'store_unavailable')
      expect(error).to.deep.include({ retryAfterMs: 1000, details: { sqlite_code: 'SQLITE_FULL' } })
      expect(error.hint).to.include('space')
    }
    expect(rows()).to.deep.equal([1])
    database.pragma('max_page_count = 1000000')
    await commits.write(() => insert(5))
    expect(rows()).to.deep.equal([1, 5])
  })

  it('rejects writes queued behind a rolled-back group, so that no write overtakes another', async () => {
    const small = new GroupCommit(new SqliteDatabase(database), { maxGroup: 2 })
    await commits.write(() => insert(1))
    const pages = Number(database.pragma('page_count'))
    database.pragma(`max_page_count = ${pages + 1}`)
    const writes = [
      small.write(() => insert(2)),
      small.write(() => insert(3, 'x'.repeat(50_000))),
      small.write(() => insert(4)),
    ]
    const outcomes = await Promise.allSettled(writes)
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected'])
    expect(rows()).to.deep.equal([1])
  })

  it('rejects the whole group if the commit itself fails', async () => {
    database.pragma('foreign_keys = ON')
    database.script('CREATE TABLE child (t INTEGER REFERENCES t (n) DEFERRABLE INITIALLY DEFERRED)')
    const group = [
      commits.write(() => insert(1)),
      commits.write(() => known(database.run('INSERT INTO child VALUES (99)'))),
      commits.write(() => {
        throw new Error('seen in a state that was never committed')
      }),
    ]
    for (const write of group) await expectRejection(write, 'UnavailableError', 'store_unavailable')
    expect(rows()).to.deep.equal([])
    await commits.write(() => insert(2))
    expect(rows()).to.deep.equal([2])
  })

  it('refuses while the file is read-only, allows reads, and recovers', async () => {
    await commits.write(() => insert(1))
    database.pragma('query_only = ON')
    const error = await expectRejection(
      commits.write(() => insert(2)),
      'UnavailableError',
      'store_unavailable',
    )
    expect(error.details).to.deep.equal({ sqlite_code: 'SQLITE_READONLY' })
    expect(await commits.read(() => known(rows()))).to.deep.equal([1])
    database.pragma('query_only = OFF')
    await commits.write(() => insert(3))
    expect(rows()).to.deep.equal([1, 3])
  })

  it('refuses while another process locks the database, and recovers', async () => {
    const other = new SqliteConnection(join(folder.path, 'test.db'))
    other.script('BEGIN IMMEDIATE')
    const error = await expectRejection(
      commits.write(() => insert(1)),
      'UnavailableError',
      'store_unavailable',
    )
    expect(error.details).to.deep.equal({ sqlite_code: 'SQLITE_BUSY' })
    other.close()
    await commits.write(() => insert(2))
    expect(rows()).to.deep.equal([2])
  })

  it('refuses writes when its queue is full, and accepts them afterwards', async () => {
    const small = new GroupCommit(new SqliteDatabase(database), { maxQueued: 3, maxGroup: 2 })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((n) => small.write(() => insert(n))))
    expect(outcomes[3]).to.have.nested.property('reason.code', 'store_busy')
    expect(rows()).to.deep.equal([1, 2, 3])
    await small.write(() => insert(5))
    expect(rows()).to.deep.equal([1, 2, 3, 5])
  })

  it('commits everything queued, over several turns, before it closes', async () => {
    const small = new GroupCommit(new SqliteDatabase(database), { maxGroup: 2 })
    const writes = [1, 2, 3, 4, 5].map((n) => small.write(() => insert(n)))
    await small.close()
    expect(rows()).to.deep.equal([1, 2, 3, 4, 5])
    await Promise.all(writes)
    await expectRejection(
      small.write(() => insert(6)),
      'UnavailableError',
      'store_closed',
    )
  })
})
