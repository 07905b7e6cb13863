/** Questions to people, and every answer received, whether it counted or not. */
export const checkpointsTables = `
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  step_id TEXT,
  question TEXT NOT NULL,
  reference TEXT,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  timeout_at INTEGER NOT NULL,
  connection TEXT,
  asked TEXT,
  on_timeout TEXT,
  kind TEXT,
  UNIQUE (run_id, path)
) STRICT;
CREATE INDEX checkpoints_of_person ON checkpoints (organization_id, connection, asked, id) WHERE asked IS NOT NULL;
CREATE INDEX checkpoints_in_state ON checkpoints (state, id);
CREATE INDEX checkpoints_of_organization ON checkpoints (organization_id, state, id);
CREATE INDEX checkpoints_via ON checkpoints (question ->> '$.via', state, id);
CREATE INDEX checkpoints_of_kind ON checkpoints (kind, state, organization_id, id);

CREATE TABLE checkpoint_answers (
  id INTEGER PRIMARY KEY,
  checkpoint_id INTEGER NOT NULL REFERENCES checkpoints (id),
  outcome TEXT NOT NULL,
  value TEXT,
  author TEXT NOT NULL,
  text TEXT,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX checkpoint_answers_of_checkpoint ON checkpoint_answers (checkpoint_id);
`
