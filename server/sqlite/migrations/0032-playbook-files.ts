/**
 * `playbook_files`: content hashes of the files of the playbooks folder when they were last taken up. `playbook_changes`: the change
 * whose files are being written, as JSON, with its author and reason; a crash leaves it to the next start. It replaces the intents.
 */
export const playbookFiles = `
CREATE TABLE playbook_files (
  path TEXT PRIMARY KEY,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE playbook_changes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  change TEXT NOT NULL
) STRICT;

DROP TABLE playbook_intents;
`
