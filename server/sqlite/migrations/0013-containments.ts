/**
 * Containments: actions that stay in effect until they are undone. They refer to runs by uuid, because they outlive them. `action` has no
 * sensitive values; `undo_input` is encrypted if the input or the output of the step is sensitive.
 */
export const containments = `
CREATE TABLE containments (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  case_id INTEGER REFERENCES cases (id),
  run_uuid TEXT NOT NULL,
  path TEXT NOT NULL,
  state TEXT NOT NULL,
  action TEXT NOT NULL,
  connection TEXT,
  undone_by TEXT NOT NULL,
  undo_input TEXT,
  undo_run_uuid TEXT,
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (run_uuid, path)
) STRICT;
CREATE INDEX containments_by_state ON containments (organization_id, state, undone_by);
CREATE INDEX containments_by_case ON containments (case_id);
CREATE INDEX containments_by_undo_run ON containments (undo_run_uuid) WHERE undo_run_uuid IS NOT NULL;
`
