import { expect } from 'chai'
import pg from 'pg'
import { dayMs } from '../../core/numbers/number-range.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { newAlert, type OpenedStores } from '../contract/fixture.ts'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { somebody } from '../support/somebody.ts'
import { openTemporaryPostgresStores } from './support/stores.ts'

/** The lock that each write shares and a write that excludes all others takes alone, see `exclusion.ts`. */
const lockOfAll = 0x746f6373696e

describePostgres('with several nodes on PostgreSQL', () => {
  const clock = { nowMs: 1_700_000_000_000 }
  let opened: OpenedStores
  let stores: Stores
  let acme: Organization
  /** A node whose write takes long. */
  let slow: pg.Client

  beforeEach(async () => {
    const made = await openTemporaryPostgresStores({
      clock: { now: () => clock.nowMs, monotonic: () => performance.now() },
    })
    opened = made
    stores = opened.stores
    acme = await stores.organizations.create({ code: 'Acme', name: 'Acme Ltd' }, somebody())
    await stores.providers.create({ code: 'SIEM', name: 'The SIEM' }, somebody())
    slow = new pg.Client({ connectionString: made.address })
    await slow.connect()
  })
  afterEach(async () => {
    await slow.end()
    await opened.dispose()
  })

  const begin = async () => {
    await slow.query('BEGIN')
    await slow.query('SELECT pg_advisory_xact_lock_shared($1)', [lockOfAll])
  }

  /** Commits the slow write once the work waits for it. */
  async function commitUnder<T>(work: Promise<T>): Promise<T> {
    const isWaiting = () =>
      eventually('a write that excludes all others', async () => {
        const { rows } = await slow.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND mode = 'ExclusiveLock'
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
        return rows.length > 0 || undefined
      })
    const first = await Promise.race([work.then(() => 'not waited'), isWaiting().then(() => 'waited')])
    expect(first).to.equal('waited')
    await slow.query('COMMIT')
    return await work
  }

  it('a search finds an alert that was committed after alerts with higher keys', async () => {
    await begin()
    await slow.query(
      `WITH a AS (INSERT INTO alerts (uuid, organization_id, provider_id, sequence, created_by, created_at, modified_at, status)
         SELECT 'u', o.id, p.id, 1000, '', 0, 0, 0 FROM organizations o, providers p WHERE o.code = 'Acme' RETURNING id)
       INSERT INTO alert_contents (alert_id, content) SELECT id, 'apple' FROM a`,
    )
    await stores.alerts.create(newAlert(acme, { content: 'apple' }))
    const { total } = await commitUnder(stores.alerts.list('all', { words: 'apple' }, { limit: 9 }))
    expect(total).to.equal(2)
  })

  it('a list has an alert that was committed after alerts with higher keys', async () => {
    await begin()
    await slow.query(
      `INSERT INTO alerts (uuid, organization_id, provider_id, sequence, created_by, created_at, modified_at, status, type)
       SELECT 'u', o.id, p.id, 1000, '', 0, 0, 0, 'phishing' FROM organizations o, providers p WHERE o.code = 'Acme'`,
    )
    await stores.alerts.create(newAlert(acme))
    const { total } = await commitUnder(stores.alerts.list('all', { type: 'phishing' }, { limit: 9 }))
    expect(total).to.equal(2)
    const range = { from: 0, to: clock.nowMs + dayMs, period: dayMs }
    const counted = await stores.numbers.alerts('all', range, 'type')
    expect(counted.map(({ alerts }) => alerts)).to.deep.equal([1, 1])
  })

  it('observables are indexed of a run that was committed after runs with higher keys', async () => {
    const run = { organizationUuid: acme.uuid, playbookName: 'triage', playbookHash: 'a'.repeat(64) }
    const queue = async () =>
      (
        await stores.alerts.receive(newAlert(acme), {
          firstRun: () => ({ run, begin: undefined }),
        })
      ).run!
    const first = await queue()
    await begin()
    await slow.query(
      `INSERT INTO runs (uuid, organization_id, playbook_name, playbook_hash, status, created_at)
       SELECT 'u', organization_id, playbook_name, playbook_hash, status, created_at FROM runs`,
    )
    const last = await queue()
    clock.nowMs += 3_000
    const found = await commitUnder(stores.observables.nextRuns(9))
    expect(found.map(({ uuid }) => uuid)).to.deep.equal([first.uuid, 'u', last.uuid])
    for (const { row } of found) await stores.observables.indexRun(row, { observables: [], findings: [] })
    expect(await stores.observables.nextRuns(9)).to.deep.equal([])
  })

  it('a node leaves contents alone that another one is receiving', async () => {
    const { id } = await stores.cases.create(acme.uuid, { title: 'x' }, somebody(), 'k')
    const begun = Promise.withResolvers<void>()
    const cleared = Promise.withResolvers<void>()
    const piece = new Uint8Array(1_048_576)
    const content = async function* () {
      yield piece
      begun.resolve()
      await cleared.promise
      yield piece
    }
    const upload = stores.cases.files.upload(
      acme.uuid,
      id,
      { name: 'x', content: content(), size: undefined },
      somebody(),
    )
    await begun.promise
    const other = await opened.another()
    while (await other.retention.clearExpired({ idleMs: 1, maxMs: 1 }));
    await other.close()
    cleared.resolve()
    expect((await upload).file.size).to.equal(2 * piece.length)
  })
})
