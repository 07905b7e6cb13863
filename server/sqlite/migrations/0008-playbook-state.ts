/**
 * What playbooks keep between runs. `playbook_states` has the size of each state, `state_entries` its entries; a value and a counter
 * have one with an empty key. Keys of sensitive states are hashes.
 */
export const playbookState = `
CREATE TABLE playbook_states (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  sensitive INTEGER NOT NULL,
  entries INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  changed_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX playbook_states_by_name ON playbook_states (organization_id, playbook_name, name);

CREATE TABLE state_entries (
  id INTEGER PRIMARY KEY,
  state_id INTEGER NOT NULL REFERENCES playbook_states (id),
  key TEXT NOT NULL,
  value TEXT,
  bytes INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT;
CREATE UNIQUE INDEX state_entries_by_key ON state_entries (state_id, key);
CREATE INDEX state_entries_by_age ON state_entries (state_id, added_at);
CREATE INDEX state_entries_by_expiry ON state_entries (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX state_entries_expiring ON state_entries (state_id, expires_at) WHERE expires_at IS NOT NULL;
`
