/**
 * Codes compare ignoring case (they are ASCII); names of connections carry a folded copy (they are any text). Rows refer to
 * each other by integer; uuids are for the outside. An alert's content stands apart from the alert, so that a change of status
 * does not write a megabyte again.
 */
export const initial = `
CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name TEXT NOT NULL,
  last_case_number INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE providers (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  public_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  all_organizations INTEGER NOT NULL,
  secret_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE TABLE api_key_organizations (
  api_key_id INTEGER NOT NULL REFERENCES api_keys (id),
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  PRIMARY KEY (api_key_id, organization_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE cases (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  number INTEGER NOT NULL,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  status TEXT NOT NULL,
  severity TEXT NOT NULL,
  verdict TEXT NOT NULL,
  assignee TEXT,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  UNIQUE (organization_id, number)
) STRICT;
CREATE INDEX cases_of_organization ON cases (organization_id);

CREATE TABLE case_entries (
  id INTEGER PRIMARY KEY,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  changes TEXT
) STRICT;
CREATE INDEX case_entries_of_case ON case_entries (case_id);

CREATE TABLE case_writes (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  idempotency_key TEXT NOT NULL,
  operation TEXT NOT NULL,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  PRIMARY KEY (organization_id, idempotency_key)
) STRICT, WITHOUT ROWID;

-- Never lowered and never deleted: what makes an alert's id unique for good.
CREATE TABLE alert_sequences (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  last INTEGER NOT NULL,
  PRIMARY KEY (organization_id, provider_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  sequence INTEGER NOT NULL,
  type TEXT,
  created_at_source INTEGER,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  retry_count INTEGER NOT NULL DEFAULT 0,
  investigator TEXT,
  case_id INTEGER REFERENCES cases (id),
  completed_at INTEGER,
  UNIQUE (organization_id, provider_id, sequence)
) STRICT;
CREATE INDEX alerts_of_organization ON alerts (organization_id);
CREATE INDEX alerts_of_case ON alerts (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX alerts_awaiting_investigation ON alerts (id) WHERE status = 0 AND type IS NOT NULL;

-- TEXT as UTF-8; where the text has an unpaired surrogate, which UTF-8 cannot hold, a BLOB of UTF-16LE.
CREATE TABLE alert_contents (
  alert_id INTEGER PRIMARY KEY REFERENCES alerts (id),
  content ANY NOT NULL
) STRICT;

CREATE TABLE playbooks (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  source TEXT NOT NULL,
  origin TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (name, hash)
) STRICT;
CREATE INDEX playbooks_of_hash ON playbooks (hash);

CREATE TABLE newest_playbooks (
  name TEXT PRIMARY KEY,
  playbook_id INTEGER NOT NULL REFERENCES playbooks (id)
) STRICT, WITHOUT ROWID;

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
  error TEXT
) STRICT;
CREATE INDEX runs_of_organization ON runs (organization_id);
CREATE INDEX runs_of_alert ON runs (alert_id) WHERE alert_id IS NOT NULL;
CREATE INDEX runs_unfinished ON runs (id) WHERE status IN ('queued', 'running');

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
  UNIQUE (run_id, path)
) STRICT;

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

CREATE TABLE connections (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  plugin TEXT NOT NULL,
  settings TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  UNIQUE (organization_id, folded_name)
) STRICT;

CREATE TABLE connection_secrets (
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  field TEXT NOT NULL,
  key_version INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (connection_id, field)
) STRICT, WITHOUT ROWID;
`
