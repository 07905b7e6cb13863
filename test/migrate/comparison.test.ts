import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import { expectRejection } from '../contract/fixture.ts'
import { describePostgres } from '../support/postgres.ts'
import { somebody } from '../support/somebody.ts'
import { openStoresIn } from '../support/stores.ts'
import { dumpOf } from './support/strange-rows.ts'
import { makeWorld, removeTemplate, silent, type World } from './support/world.ts'

describePostgres('a migration', () => {
  let world: World

  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.dispose())
  after(removeTemplate)

  for (const { spoiled, says } of [
    { spoiled: `NEW.status := 'spoiled'; RETURN NEW;`, says: 'differs in status' },
    { spoiled: 'RETURN NULL;', says: 'is missing in the copy' },
  ]) {
    it(`reads each row back, and names one that ${says}`, async () => {
      const progress = {
        ...silent,
        async onTable(name: string) {
          if (name === 'account_identities')
            await world.query(`
              CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${spoiled} END $$;
              CREATE TRIGGER spoil BEFORE INSERT ON runs FOR EACH ROW WHEN (NEW.id = 4) EXECUTE FUNCTION spoil()`)
        },
      }
      const error = await expectRejection(world.migrate({ progress }), 'ConflictError', 'copy_differs')
      expect(error.message).to.equal(`the row of runs with id = 4 ${says}`)
      expect(error.details).to.deep.equal({ table: 'runs', key: ['4'] })
      await (await openStoresIn(world.dataDir)).close()
      await world.query('DROP TRIGGER spoil ON runs; DROP FUNCTION spoil')
      await world.migrate()
    })
  }

  it('says when the disk of PostgreSQL is full, and continues when there is space', async () => {
    const progress = {
      ...silent,
      async onTable(name: string) {
        if (name === 'account_identities')
          await world.query(`
            CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER full_disk BEFORE INSERT ON runs FOR EACH ROW WHEN (NEW.id = 4) EXECUTE FUNCTION full_disk()`)
      },
    }
    const error = await expectRejection(world.migrate({ progress }), 'UnavailableError', 'store_unavailable')
    expect(error.hint).to.equal(
      'Free space on the disk of PostgreSQL. Then run the command again: it continues.',
    )
    await world.query('DROP TRIGGER full_disk ON runs; DROP FUNCTION full_disk')
    await world.migrate()
  })

  it('refuses an original that was replaced by a backup since', async () => {
    await world.migrate({ isPreparation: true })
    const sqlite = new Sqlite(world.path)
    sqlite.exec(`DROP TRIGGER audit_keeps_entries; UPDATE audit SET entry = '{"sequence":4}' WHERE id = 4`)
    sqlite.close()
    await expectRejection(world.migrate(), 'ConflictError', 'migration_of_other_data')
  })

  it('copies a broken audit log as it is, and says so', async () => {
    const sqlite = new Sqlite(world.path)
    sqlite.exec('DROP TRIGGER audit_keeps_entries')
    sqlite.exec(`UPDATE audit SET entry = replace(entry, 'alert.created', 'alert.deleted') WHERE id = 3`)
    sqlite.close()
    const { audit } = await world.migrate()
    expect(audit).to.deep.include({ entries: 2 })
    expect(audit?.broken?.sequence).to.equal(3)
  })

  it('refuses an audit log with a gap', async () => {
    const sqlite = new Sqlite(world.path)
    sqlite.exec('DROP TRIGGER audit_loses_none; DELETE FROM audit WHERE id = 4')
    sqlite.close()
    const error = await expectRejection(world.migrate(), 'ConflictError', 'audit_broken')
    expect(error.hint).to.include('tocsin audit verify')
  })

  it('repairs rows of an unfinished copy that somebody changed, removed or added', async () => {
    await world.migrate({ isPreparation: true })
    await world.query(`
      UPDATE runs SET playbook_name = 'other', playbook_hash = NULL WHERE false;
      UPDATE runs SET playbook_name = 'other' WHERE id = 4;
      DELETE FROM journal WHERE id IN (3, 1500);
      INSERT INTO journal (id, run_id, path, kind, state, attempt, started_at) VALUES (1000000, 1, 'added', 'call', 'done', 1, 0);
      UPDATE entity_sightings SET at = at + 1 WHERE value LIKE 'U+0000%' AND at < 500;
      DELETE FROM facts WHERE name = 'runs_counted_to'`)
    const { written } = await world.migrate()
    expect(written).to.be.above(0)
    const before = dumpOf(world.path)
    await world.migrateBack()
    const after = dumpOf(join(world.back, 'tocsin.db'))
    for (const table of ['runs', 'journal', 'entity_sightings'])
      expect(isDeepStrictEqual(after[table], before[table]), table).to.equal(true)
  })
})

describePostgres('a migration after a preparation', () => {
  let world: World

  beforeEach(async () => {
    world = await makeWorld()
  })
  afterEach(() => world.dispose())
  after(removeTemplate)

  it('writes only what has changed since, and verifies everything', async () => {
    const server = await openStoresIn(world.dataDir)
    let probes = 0
    const progress = {
      ...silent,
      async onTable() {
        await server.probe()
        probes++
      },
    }
    const prepared = await world.migrate({ isPreparation: true, progress })
    expect(probes).to.be.above(50)
    expect(prepared).to.include({ readOnlySeconds: 0, audit: undefined })
    await server.probe()
    const organization = await server.organizations.create({ code: 'later', name: 'Later' }, somebody())
    await server.close()
    const sqlite = new Sqlite(world.path)
    sqlite.exec(`
      UPDATE organizations SET uuid = 'swap' WHERE id = 1;
      UPDATE organizations SET uuid = (SELECT uuid || '1' FROM organizations WHERE id = 3) WHERE id = 2;
      CREATE TEMP TABLE later AS SELECT path FROM journal WHERE id = 2400;
      UPDATE journal SET path = 'free' WHERE id = 2400;
      UPDATE journal SET path = (SELECT path FROM later) WHERE id = 10;
      DELETE FROM correlation_keys;
      DELETE FROM journal WHERE id BETWEEN 900 AND 1100;`)
    sqlite.close()
    const { rows, written, audit, tables } = await world.migrate()
    expect(written).to.be.below(rows / 2)
    expect(tables.find(({ table }) => table === 'journal')?.written).to.be.within(1, 2508)
    expect(tables.find(({ table }) => table === 'entity_sightings')?.written).to.equal(0)
    expect(audit?.entries).to.equal(dumpOf(world.path)['audit']?.length)
    expect(
      await world.query(`SELECT code FROM organizations WHERE uuid = $1`, [organization.uuid]),
    ).to.deep.equal([{ code: 'later' }])
    const before = dumpOf(world.path)
    await world.migrateBack()
    const after = dumpOf(join(world.back, 'tocsin.db'))
    for (const [table, expected] of Object.entries(before))
      if (table !== 'facts') expect(isDeepStrictEqual(after[table], expected), table).to.equal(true)
  })
})
