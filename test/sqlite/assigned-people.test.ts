import { join } from 'node:path'
import { expect } from 'chai'
import { assignedPeople } from '../../server/sqlite/migrations/0033-assigned-people.ts'
import { migrations } from '../../server/sqlite/migrations/all-migrations.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

describe('the migration of assignees', () => {
  it('makes a person of a name that only one has, and leaves other texts as they are', async () => {
    const folder = await makeTemporaryFolder()
    const database = new SqliteConnection(join(folder.path, 'x.db'))
    try {
      for (const each of migrations.slice(0, migrations.indexOf(assignedPeople))) database.script(each)
      database.script(`
        INSERT INTO organizations (id, uuid, code, name, created_at) VALUES (1, 'o', 'acme', 'Acme', 0);
        INSERT INTO accounts (uuid, email, email_key, name, created_at) VALUES
          ('kim', 'Kim@example.com', 'kim@example.com', 'Kim', 0), ('a1', 'a1@example.com', 'a1@example.com', 'Anna', 0),
          ('a2', 'a2@example.com', 'a2@example.com', 'Anna', 0);
        INSERT INTO api_keys (uuid, public_id, name, role, all_organizations, secret_hash, created_at) VALUES
          ('u', 'key1', 'soar', 'analyst', 1, x'00', 0), ('v', 'key2', 'Kim', 'analyst', 1, x'00', 0);`)
      const names = ['kim', 'KIM@example.com', 'Anna', 'soar', 'SOC level 2', null]
      for (const [index, name] of names.entries()) {
        database.run(
          `INSERT INTO cases (id, organization_id, number, title, summary, status, severity, verdict, assignee, created_at, modified_at)
           VALUES (?, 1, ?, 't', '', 'open', 'low', 'unknown', ?, 0, 0)`,
          index + 1,
          index + 1,
          name,
        )
        database.run(
          `INSERT INTO case_tasks (uuid, case_id, title, owner, created_at, author_kind, author_id, author)
           VALUES (?, 1, 't', ?, 0, 'server', 'server', 'server')`,
          String(index),
          name,
        )
      }
      database.script(assignedPeople)
      const wanted = ['kim', 'kim', null, 'key1', null, null]
      for (const [table, column] of [
        ['cases', 'assignee_id'],
        ['case_tasks', 'owner_id'],
      ] as const) {
        const rows = database.all<{ person: string | null }>(
          `SELECT ${column} AS person FROM ${table} ORDER BY id`,
        )
        expect(rows.map(({ person }) => person)).to.deep.equal(wanted)
      }
      const kept = database.all<{ name: string | null }>(
        'SELECT assignee AS name FROM cases ORDER BY cases.id',
      )
      expect(kept.map(({ name }) => name)).to.deep.equal(names)
    } finally {
      database.close()
      await folder.remove()
    }
  })
})
