import { join } from 'node:path'
import { expect } from 'chai'
import { watchedTables } from '../../server/sql/database/changes.ts'
import { openDatabase } from '../../server/sqlite/file/open-database.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

/** Tables without displayed rows, or whose rows change together with their owner. */
const unwatched = [
  'audit_exports',
  'account_passwords',
  'account_roles',
  'account_totp',
  'recovery_codes',
  'passkeys',
  'invitations',
  'custom_roles',
  'alert_contents',
  'alert_groups',
  'alert_requests',
  'alert_search',
  'alert_sequences',
  'api_key_organizations',
  'case_writes',
  'connection_secrets',
  'destructive_uses',
  'events_tokens',
  'file_contents',
  'file_pieces',
  'awaited_changes',
  'event_waits',
  'event_wait_keys',
  'inbound_calls',
  'journal_copies',
  'once_requests',
  'playbook_changes',
  'playbook_files',
  'playbook_states',
  'rated_starts',
  'schedules',
  'shadow_results',
  'trigger_events',
  'entity_sightings',
  'entity_firings',
  'alert_numbers',
  'run_numbers',
  'time_numbers',
  'question_numbers',
  'case_marks',
  'observables',
  'observable_alerts',
  'observable_runs',
  'observable_cases',
  'observable_findings',
  'sign_in_tokens',
  'correlation_keys',
  'case_links',
  'shared_filters',
  'run_moves',
  'case_assessments',
  'state_entries',
  'sign_on_attempts',
  'logout_tokens',
  'account_identities',
  'provider_sessions',
  'nodes',
  'node_jobs',
]

describe('change triggers', () => {
  it('cover every table, which is either included or listed as excluded', async () => {
    const folder = await makeTemporaryFolder()
    const database = openDatabase(join(folder.path, 'x.db'))
    const tables = database
      .all<{ name: string }>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')`,
      )
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('sqlite_'))
    database.close()
    await folder.remove()
    expect([...watchedTables.map(({ table }) => table), ...unwatched]).to.have.members(tables)
  })
})
