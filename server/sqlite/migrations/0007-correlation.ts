/**
 * Correlation: the case that alerts with a key join, cases that were merged into others, and what the runs of each alert said about
 * its case. `source` is the alert, or the playbook of runs without an alert.
 */
export const correlationTables = `
CREATE TABLE correlation_keys (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  key BLOB NOT NULL,
  case_id INTEGER NOT NULL REFERENCES cases (id),
  last_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX correlation_keys_by_end ON correlation_keys (ends_at);
CREATE INDEX correlation_keys_of_case ON correlation_keys (case_id);

ALTER TABLE alerts ADD COLUMN joined_because TEXT;
ALTER TABLE cases ADD COLUMN joined INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN merged_into INTEGER REFERENCES cases (id);
ALTER TABLE cases ADD COLUMN decided TEXT;
CREATE INDEX cases_merged ON cases (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE case_assessments (
  case_id INTEGER NOT NULL REFERENCES cases (id),
  source TEXT NOT NULL,
  name TEXT NOT NULL,
  severity TEXT,
  verdict TEXT,
  summary TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (case_id, source)
) STRICT, WITHOUT ROWID;
`
