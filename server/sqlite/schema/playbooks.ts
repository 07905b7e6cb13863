/** Versions of playbooks by content hash. A generated playbook belongs to an organization; an authored one to all. */
export const playbooksTables = `
CREATE TABLE playbooks (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER REFERENCES organizations (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  source TEXT NOT NULL,
  origin TEXT NOT NULL,
  newest INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  put_in_force_by TEXT,
  put_in_force_at INTEGER,
  removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX playbook_versions ON playbooks (name, ifnull(organization_id, 0), hash);
CREATE UNIQUE INDEX newest_playbooks ON playbooks (name, ifnull(organization_id, 0)) WHERE newest = 1;
CREATE INDEX playbooks_of_hash ON playbooks (hash);
`
