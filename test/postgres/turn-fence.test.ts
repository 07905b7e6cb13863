import { expect } from 'chai'
import pg from 'pg'
import type { Organization } from '../../core/domain/organization.ts'
import { duringTurn } from '../../core/ports/runs/turn.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { tryLock } from '../../server/postgres/driver/exclusion.ts'
import { maxWakeAt } from '../../server/sql/runs/run-turns.ts'
import { expectRejection, newAlert, type OpenedStores } from '../contract/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'

/** See `exclusion.ts`. */
const lockOfAll = 0x746f6373696e

describePostgres('the fence of turns, between transactions of several nodes', () => {
  let opened: OpenedStores
  let stores: Stores
  let acme: Organization
  let run: string
  /** Another node, whose transaction takes long. */
  let other: pg.Client

  beforeEach(async () => {
    const made = await openTemporaryPostgresStores({
      clock: { now: () => 5, monotonic: () => performance.now() },
    })
    opened = made
    stores = made.stores
    acme = await stores.organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'The SIEM' }, somebody())
    const { uuid: alertUuid } = await stores.alerts.create(newAlert(acme))
    const queued = {
      organizationUuid: acme.uuid,
      alertUuid,
      playbookName: 'triage',
      playbookHash: 'a'.repeat(64),
    }
    run = (await stores.runs.queue(queued, { title: 'x' })).uuid
    other = new pg.Client({ connectionString: made.address })
    await other.connect()
  })

  afterEach(async () => {
    await other.end()
    await opened.dispose()
  })

  const step = (path: string) => ({ path, stepId: path, kind: 'x.do', input: null, attempt: 1, startedAt: 1 })
  const begin = (path: string, number = 1) =>
    duringTurn({ run, number }, () => stores.journal.begin(run, step(path)))
  const paths = async () => (await stores.journal.entries(run)).map(({ path }) => path)

  const beginTransaction = async (): Promise<void> => {
    await other.query('BEGIN')
    await other.query('SELECT pg_advisory_xact_lock_shared($1)', [lockOfAll])
  }
  const lockRun = async (): Promise<void> => {
    const { sql, values } = tryLock({ run })
    expect((await other.query(sql.replace('?', '$1'), [...values])).rows).to.deep.equal([{ isHeld: true }])
  }
  const writeStep = (path: string) =>
    other.query(
      `INSERT INTO journal (run_id, path, step_id, kind, state, attempt, started_at)
       SELECT id, $2, $2, 'x.do', 'started', 1, 1 FROM runs WHERE uuid = $1`,
      [run, path],
    )
  const waitsForLock = () =>
    eventually('a write that waits for a lock', async () => {
      const { rows } = await other.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      )
      return rows.length > 0 || undefined
    })

  it('gives a run no turn while an earlier turn writes, and then one that has what was written', async () => {
    await duringTurn({ run, number: 1 }, () => stores.runs.park(run, 0))
    await beginTransaction()
    await lockRun()
    await writeStep('late')
    expect(await stores.runs.take(run)).to.equal(undefined)
    await other.query('COMMIT')
    expect(await stores.runs.take(run)).to.deep.include({ turn: 2 })
    expect(await paths()).to.deep.equal(['late'])
  })

  it('refuses a write that waits until another node has begun a turn', async () => {
    await beginTransaction()
    await lockRun()
    await other.query('UPDATE runs SET turn = turn + 1 WHERE uuid = $1', [run])
    const late = begin('late')
    await waitsForLock()
    await other.query('COMMIT')
    await expectRejection(late, 'ConflictError', 'turn_lost')
    expect(await paths()).to.deep.equal([])
    await begin('next', 2)
    expect(await paths()).to.deep.equal(['next'])
  })

  it('gives up turns only after the writes of all nodes, and refuses those that begin meanwhile', async () => {
    await beginTransaction()
    await lockRun()
    await writeStep('before')
    const recovered = stores.runs.recover()
    await waitsForLock()
    const late = begin('late')
    await other.query('COMMIT')
    await recovered
    await expectRejection(late, 'ConflictError', 'turn_lost')
    expect(await paths()).to.deep.equal(['before'])
  })

  it('refuses the writes of a lost turn in a group, and does the others', async () => {
    const outcomes = await Promise.allSettled([
      begin('one'),
      begin('lost', 7),
      duringTurn({ run, number: 7 }, () => stores.runs.openCase(run, { title: 'lost' })),
      begin('two'),
      stores.alerts.create(newAlert(acme)),
    ])
    expect(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'done')),
    ).to.deep.equal(['done', 'turn_lost', 'turn_lost', 'done', 'done'])
    expect(await paths()).to.deep.equal(['one', 'two'])
  })

  it('has a retry go on whose journal was being copied by a node that was lost', async () => {
    await stores.nodes.join({ name: 'a', program: '1.0.0' })
    const at = { endedAt: 1, output: null, error: null, attempt: 1, state: 'completed' } as const
    for (const path of ['one', 'two']) await stores.journal.record(run, step(path), at)
    const error = { code: 'broken', message: 'broken' }
    const { organizationUuid, playbookName, playbookHash } = await stores.runs.end(run, {
      status: 'failed',
      output: null,
      error,
    })
    const carriesOver = { runUuid: run, paths: ['one', 'two'] }
    const given = { organizationUuid, playbookName, playbookHash, alertUuid: null, carriesOver }
    const { uuid: retry } = await stores.runs.queue(given)
    // As after the first of two pieces.
    const id = `(SELECT id FROM runs WHERE uuid = '${retry}')`
    await other.query(`DELETE FROM journal WHERE run_id = ${id} AND path = 'two'`)
    await other.query(`INSERT INTO journal_copies (run_id, paths, drops) VALUES (${id}, '["two"]', 0)`)
    await other.query(`UPDATE runs SET wake_at = ${maxWakeAt} WHERE id = ${id}`)
    const survivor = await opened.another()
    try {
      await survivor.nodes.join({ name: 'b', program: '1.0.0' })
      expect(await survivor.runs.organizationsWithDue()).to.deep.equal([])
      const lost = (await survivor.nodes.list()).filter(({ name }) => name === 'a')
      await survivor.nodes.remove(lost, 'lost')
      expect(await survivor.runs.organizationsWithDue()).to.deep.equal([acme.uuid])
      await survivor.runs.start(retry, { title: 'x' })
      expect((await survivor.journal.entries(retry)).map(({ path }) => path)).to.deep.equal(['one', 'two'])
    } finally {
      await survivor.close()
    }
  })
})
