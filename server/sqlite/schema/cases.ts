/**
 * Cases and their timelines. Entries are only added; `author_kind` and `author_id` say who wrote them, `author` is the name. Indexes
 * of rows with `listed = 1` are written later than the row, see `context/listed-rows.ts`.
 */
export const casesTables = `
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
  revision INTEGER NOT NULL DEFAULT 1,
  severity_rank INTEGER AS (CASE severity WHEN 'critical' THEN 5 WHEN 'high' THEN 4 WHEN 'medium' THEN 3 WHEN 'low' THEN 2 ELSE 1 END) VIRTUAL,
  alerts_deleted INTEGER NOT NULL DEFAULT 0,
  runs_deleted INTEGER NOT NULL DEFAULT 0,
  listed INTEGER NOT NULL DEFAULT 0,
  UNIQUE (organization_id, number)
) STRICT;
CREATE INDEX cases_of_organization ON cases (organization_id) WHERE listed = 1;
CREATE INDEX cases_by_change ON cases (modified_at) WHERE listed = 1;
CREATE INDEX cases_by_severity ON cases (severity_rank) WHERE listed = 1;
CREATE INDEX cases_of_organization_by_change ON cases (organization_id, modified_at) WHERE listed = 1;
CREATE INDEX cases_of_organization_by_severity ON cases (organization_id, severity_rank) WHERE listed = 1;
CREATE INDEX cases_of_status ON cases (status) WHERE listed = 1;
CREATE INDEX cases_of_severity ON cases (severity) WHERE listed = 1;
CREATE INDEX cases_of_verdict ON cases (verdict) WHERE listed = 1;
CREATE INDEX cases_of_assignee ON cases (assignee) WHERE listed = 1;

CREATE TABLE case_entries (
  id INTEGER PRIMARY KEY,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  changes TEXT,
  author_kind TEXT NOT NULL DEFAULT 'api_key',
  author_id TEXT NOT NULL DEFAULT '',
  request_id TEXT,
  action TEXT
) STRICT;
CREATE INDEX case_entries_of_case ON case_entries (case_id);
CREATE INDEX case_actions ON case_entries (case_id) WHERE kind = 'action';
CREATE TRIGGER case_entries_are_kept BEFORE DELETE ON case_entries
  BEGIN SELECT RAISE(ABORT, 'what happened in a case is append-only'); END;
CREATE TRIGGER case_entries_stay BEFORE UPDATE ON case_entries
  BEGIN SELECT RAISE(ABORT, 'what happened in a case is append-only'); END;

CREATE TABLE case_writes (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  idempotency_key TEXT NOT NULL,
  operation TEXT NOT NULL,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  entry_id INTEGER REFERENCES case_entries (id),
  PRIMARY KEY (organization_id, idempotency_key)
) STRICT, WITHOUT ROWID;

INSERT INTO facts (name, value) VALUES ('cases_listed_to', 0);
`
