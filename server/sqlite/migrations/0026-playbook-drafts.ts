/**
 * Drafts of playbooks, and why versions were published. Each save of a draft is a new row, so that `revision` is never used twice. An
 * intent is written before the file of a playbook: after a crash in between, the start knows who published it and why.
 */
export const playbookDrafts = `
ALTER TABLE playbooks ADD COLUMN put_in_force_reason TEXT;

CREATE TABLE playbook_drafts (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER REFERENCES organizations (id),
  name TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  base_hash TEXT,
  note TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by TEXT NOT NULL
) STRICT;

CREATE TABLE playbook_intents (
  name TEXT PRIMARY KEY,
  hash TEXT NOT NULL,
  actor TEXT NOT NULL,
  publication TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`
