/** Inputs, cancellation, concurrency and schedules of runs; questions to people and their answers; decisions about steps. */
export const waitingRuns = `
ALTER TABLE runs ADD COLUMN inputs TEXT;
ALTER TABLE runs ADD COLUMN cancelled_by TEXT;
ALTER TABLE runs ADD COLUMN cancelled_at INTEGER;
-- Organization, playbook and key: at most one run of it has started and not ended.
ALTER TABLE runs ADD COLUMN concurrency_key TEXT;
ALTER TABLE runs ADD COLUMN schedule_id INTEGER;
CREATE INDEX runs_in_line ON runs (concurrency_key, id) WHERE concurrency_key IS NOT NULL AND ended_at IS NULL;
CREATE INDEX runs_of_schedule ON runs (schedule_id) WHERE schedule_id IS NOT NULL AND ended_at IS NULL;
DROP INDEX runs_unfinished;
CREATE INDEX runs_unfinished ON runs (id) WHERE status IN ('queued', 'running', 'waiting');

ALTER TABLE journal ADD COLUMN resolution TEXT;
CREATE INDEX journal_unknown ON journal (run_id) WHERE state = 'unknown';

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
  UNIQUE (run_id, path)
) STRICT;
CREATE INDEX checkpoints_waiting ON checkpoints (id) WHERE state = 'waiting';
CREATE INDEX checkpoints_waiting_of_organization ON checkpoints (organization_id, id) WHERE state = 'waiting';

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

CREATE TABLE schedules (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  cron TEXT NOT NULL,
  next_at INTEGER NOT NULL,
  UNIQUE (organization_id, playbook_name)
) STRICT;
`
