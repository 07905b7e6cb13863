/**
 * Runs and their journals. `runs.wake_at` is the time of the next turn in epoch milliseconds: null while a process has taken the
 * turn, negative where the process that took it is gone, `maxWakeAt` where only an answer wakes the run. `crashes`, `alone` and
 * `convictions` (crashes while the run was alone) find the run that crashes the process. `journal_copies` lists paths that a retry has yet to copy.
 */
export const runsTables = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  playbook_hash TEXT NOT NULL,
  alert_id INTEGER REFERENCES alerts (id),
  case_id INTEGER REFERENCES cases (id),
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  output TEXT,
  error TEXT,
  inputs TEXT,
  cancelled_by TEXT,
  cancelled_at INTEGER,
  concurrency_key TEXT,
  schedule_id INTEGER,
  retry_of INTEGER REFERENCES runs (id),
  wake_at INTEGER,
  crashes INTEGER NOT NULL DEFAULT 0,
  alone INTEGER NOT NULL DEFAULT 0,
  convictions INTEGER NOT NULL DEFAULT 0,
  pruned_at INTEGER,
  pruning INTEGER NOT NULL DEFAULT 0,
  choice TEXT
) STRICT;
CREATE INDEX runs_of_organization ON runs (organization_id);
CREATE INDEX runs_of_alert ON runs (alert_id) WHERE alert_id IS NOT NULL;
CREATE INDEX runs_of_case ON runs (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX runs_in_line ON runs (concurrency_key, id) WHERE concurrency_key IS NOT NULL AND ended_at IS NULL;
CREATE INDEX runs_of_schedule ON runs (schedule_id) WHERE schedule_id IS NOT NULL AND ended_at IS NULL;
CREATE UNIQUE INDEX runs_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX runs_failed ON runs (playbook_name, id) WHERE status = 'failed';
CREATE INDEX runs_due ON runs (organization_id, wake_at) WHERE wake_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX runs_parked ON runs (wake_at) WHERE wake_at IS NOT NULL AND ended_at IS NULL AND started_at IS NOT NULL;
CREATE INDEX runs_alone ON runs (id) WHERE alone = 1;
CREATE INDEX runs_pruning ON runs (id) WHERE pruning = 1;
CREATE INDEX runs_of_playbook ON runs (playbook_name, id, created_at, organization_id, alert_id);
CREATE INDEX runs_of_status ON runs (status);
CREATE INDEX runs_of_error ON runs (error ->> '$.code') WHERE error IS NOT NULL;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  step_id TEXT,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  input TEXT,
  output TEXT,
  error TEXT,
  attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  resolution TEXT,
  carried_from INTEGER REFERENCES runs (id),
  destructive INTEGER NOT NULL DEFAULT 0,
  sensitive TEXT,
  UNIQUE (run_id, path)
) STRICT;
CREATE INDEX journal_unknown ON journal (run_id) WHERE state = 'unknown';
CREATE INDEX journal_carried ON journal (carried_from) WHERE carried_from IS NOT NULL;
CREATE INDEX journal_of_run ON journal (run_id);

CREATE TABLE failed_attempts (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  error TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  retry_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, path, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal_copies (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  paths TEXT NOT NULL,
  drops INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_copies_of_run ON journal_copies (run_id);

CREATE TABLE schedules (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  cron TEXT NOT NULL,
  next_at INTEGER NOT NULL,
  UNIQUE (organization_id, playbook_name)
) STRICT;

CREATE TABLE destructive_uses (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  skill TEXT NOT NULL,
  class TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX destructive_uses_by_time ON destructive_uses (organization_id, class, used_at);
`

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
