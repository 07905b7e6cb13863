import { personOf, theRun } from '../../core/domain/audit.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import type { Organization } from '../../core/domain/organization.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { completed, newAlert } from '../contract/fixture.ts'
import { inPieces, ruleBy } from '../contract/retention-store.ts'
import { makeRandom, seed, times } from '../support/random.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killChildren, startChild } from './child-process.ts'
import { everyAlert } from './every-alert.ts'
import { openStoresIn } from '../support/stores.ts'

const day = 86_400_000
const stepsOfRun = 40

describe(`retention in SQLite (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let folder: TemporaryFolder
  let acme: Organization
  const clock = { at: 0, now: () => clock.at }

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    clock.at = Date.now()
    await inStores(async (stores) => {
      acme = await stores.organizations.create({ code: 'Acme', name: 'x' }, somebody())
      await stores.providers.create({ code: 'SIEM', name: 'x' }, somebody())
    })
  })
  afterEach(async () => {
    killChildren()
    await folder.remove()
  })

  async function inStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
    const stores = await openStoresIn(folder.path, { clock })
    try {
      return await work(stores)
    } finally {
      await stores.close()
    }
  }

  function look<T>(see: (database: SqliteConnection) => T): T {
    const database = new SqliteConnection(join(folder.path, 'tocsin.db'))
    try {
      return see(database)
    } finally {
      database.close()
    }
  }

  const tables = () =>
    look((database) =>
      database.all<{ name: string }>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'alert_search_%'`,
      ),
    ).map(({ name }) => name)
  const rows = () =>
    look((database) =>
      Object.fromEntries(
        tables().map((name) => [name, database.one<{ n: number }>(`SELECT count(*) AS n FROM ${name}`).n]),
      ),
    )

  /** For an investigated alert, with everything that a run can leave behind. */
  async function investigate(stores: Stores): Promise<void> {
    const once = { key: `k${Math.random()}`, keepMs: 1_000 }
    const { alert } = await stores.alerts.createOnce(newAlert(acme), once)
    const queued = await stores.runs.queueOrGroup(
      { organizationUuid: acme.uuid, playbookName: 'p', playbookHash: 'h', alertUuid: alert.uuid },
      { fingerprint: Buffer.from(alert.uuid), reason: 'x', windowMs: 1_000, caseTitle: () => 'x' },
    )
    if (!('run' in queued)) return expect.fail('it is a repeat')
    const { uuid } = queued.run
    const { caseId } = (await stores.runs.start(uuid, { title: 'x' }))!
    for (let n = 0; n < stepsOfRun; n++) {
      const destructive = n === 0 ? { destructive: { class: 'containment', input: {} } as const } : {}
      await stores.journal.begin(uuid, {
        path: `s${n}`,
        stepId: null,
        kind: 'x.do',
        input: { text: 'x'.repeat(5_000) },
        attempt: 1,
        startedAt: 1,
        ...destructive,
      })
    }
    const error = { code: 'x', message: 'x' }
    await stores.journal.attemptFailed(uuid, {
      path: 's0',
      attempt: 1,
      error,
      startedAt: 1,
      endedAt: 1,
      retryAt: 1,
    })
    const question = { via: 'operator', input: {}, answers: ['yes'], form: null }
    const given = { path: 'q', stepId: 'q', question, timeoutAt: clock.now() + day }
    const { id } = await stores.checkpoints.open(uuid, given)
    await stores.checkpoints.answer(id, { value: 'yes', text: null }, somebody())
    await stores.cases.comment(acme.uuid, caseId ?? '', 'x', theRun(uuid, 'x'), `${uuid}/s1/note`)
    await stores.runs.end(uuid, completed)
    await stores.cases.edit(acme.uuid, caseId ?? '', { status: 'closed' }, personOf('anna'), undefined)
  }

  /** The newest rows are kept, so these are created last. */
  async function addNewest(stores: Stores): Promise<void> {
    const { uuid } = await stores.alerts.create(newAlert(acme))
    await stores.runs.queue({
      organizationUuid: acme.uuid,
      playbookName: 'p',
      playbookHash: 'h',
      alertUuid: uuid,
    })
    await stores.alerts.list('all', { words: 'x' }, { limit: 1 })
  }

  it('leaves no row of an alert and its run except the case, the audit log and the numbers', async () => {
    await inStores(addNewest)
    const before = rows()
    await inStores(async (stores) => {
      await investigate(stores)
      await addNewest(stores)
    })
    const grown = Object.entries(rows()).filter(([name, count]) => count > (before[name] ?? 0))
    expect(grown.map(([name]) => name)).to.include.members([
      'alert_contents',
      'alert_groups',
      'alert_requests',
      'case_writes',
      'checkpoint_answers',
      'checkpoints',
      'destructive_uses',
      'failed_attempts',
      'journal',
    ])
    clock.at += day
    await inStores((stores) => inPieces((from) => stores.retention.pruneAlerts(ruleBy(clock.at), from)))
    // The numbers stay: they are the history.
    // Notifications have their own time.
    const kept = /^(cases|case_entries|audit|notifications|\w+_numbers|case_marks)$/
    const { cases } = before
    const without = (all: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !kept.test(name)))
    const [left, expected] = [without(rows()), without(before)]
    // The second newest: the newest one's first alert is not under investigation, so it is kept.
    expect(left).to.deep.equal({
      ...expected,
      alerts: expected['alerts']! + 1,
      alert_contents: expected['alert_contents']! + 1,
      alert_search: expected['alert_search']! + 1,
      runs: expected['runs']! + 1,
    })
    expect(rows()['cases']).to.equal(cases! + 1)
  })

  it('deletes expired rows in every table that only requests cleared before', async () => {
    const before = rows()
    await inStores(async (stores) => {
      await investigate(stores)
      const once = { apiKeyUuid: 'u', key: 'k', asks: 'x', keepMs: 1_000 }
      await stores.requests.once(once, async () => 'done')
      const key = {
        id: 'k1',
        name: 'k',
        role: 'admin',
        organizationUuids: null,
        secretHash: Buffer.alloc(32),
      } as const
      await stores.keys.create({ ...key, expiresAt: null }, somebody())
      const begin = {
        tokenHash: Buffer.alloc(32),
        holder: { keyId: 'k1' },
        method: 'api_key' as const,
        client: '',
        replaces: undefined,
      }
      await stores.sessions.begin({ ...begin, limits: { idleMs: 10, maxMs: 10 } }, somebody())
      const connection = { name: 'c', plugin: 'x', settings: {}, secrets: {} }
      const { uuid } = await stores.connections.create(acme.uuid, connection, somebody())
      const call = { organizationUuid: acme.uuid, connectionUuid: uuid, requestId: 'r', answers: [] }
      const seen = { key: 'e', keepMs: 1_000 }
      await stores.inbound.take({ ...call, once: seen, broken: undefined, warning: undefined })
    })
    const cleared = [
      'once_requests',
      'alert_requests',
      'inbound_calls',
      'alert_groups',
      'destructive_uses',
      'sessions',
    ]
    for (const name of cleared) expect(rows()[name], name).to.equal((before[name] ?? 0) + 1)
    clock.at += day
    const limits = { idleMs: 10, maxMs: 10 }
    expect(await inStores((stores) => stores.retention.clearExpired(limits))).to.equal(false)
    for (const name of cleared) expect(rows()[name], name).to.equal(before[name])
  })

  it('is atomic: kill -9 leaves no partial run, and loses no accepted alert', async () => {
    const random = makeRandom(seed)
    await inStores(async (stores) => {
      for (let n = 0; n < 60; n++) await investigate(stores)
      await addNewest(stores)
    })
    const acknowledged: string[] = []
    for (let round = 0; round < times(4); round++) {
      const child = startChild('prune', [folder.path, acme.uuid])
      await child.hasPrinted(1)
      await sleep(random() * 40)
      child.process.kill('SIGKILL')
      await child.ended
      acknowledged.push(...child.lines)
      look((database) => {
        expect(database.all('PRAGMA integrity_check(1)')).to.deep.equal([{ integrity_check: 'ok' }])
        expect(database.all('PRAGMA foreign_key_check')).to.deep.equal([])
        const halves = database.all(
          `SELECT id FROM runs WHERE pruned_at IS NULL AND status = 'completed'
             AND (SELECT count(*) FROM journal WHERE run_id = runs.id) != ${stepsOfRun}`,
        )
        expect(halves, 'runs of which a part is gone, and which do not say so').to.deep.equal([])
        const { deleted, recorded } = database.one<{ deleted: number; recorded: number }>(
          `SELECT (SELECT max(id) - count(*) FROM alerts) AS deleted,
             (SELECT ifnull(sum(entry ->> '$.details.alerts'), 0) FROM audit WHERE entry ->> '$.action' = 'data.pruned') AS recorded`,
        )
        expect(recorded, 'alerts that are gone, as the audit log has them').to.equal(deleted)
      })
    }
    clock.at += 2 * day
    await inStores(async (stores) => {
      await inPieces((from) => stores.retention.pruneAlerts(ruleBy(clock.at - day), from))
      const left = (await everyAlert(stores)).map(({ id }) => id)
      expect(left).to.include.members(acknowledged)
      expect(rows()['journal'], 'the newest run has no steps').to.equal(0)
    })
  })

  it('is documented for every table in docs/backup.md', async () => {
    const page = await readFile(new URL('../../docs/backup.md', import.meta.url), 'utf8')
    const told = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| /gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/\w+/g)].map(([name]) => name),
    )
    for (const name of tables()) expect(told, name).to.include(name)
  })
})
