/**
 * Correlation: the last alert with a key, whose case others join; cases that were merged or split; the
 * earlier cases of runs that moved; and the results of the runs of each alert for its case (`source` is the
 * alert, or the playbook of runs without an alert).
 */
export const correlationTables = `
CREATE TABLE correlation_keys (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  key BLOB NOT NULL,
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  last_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX correlation_keys_by_end ON correlation_keys (ends_at);
CREATE INDEX correlation_keys_of_alert ON correlation_keys (alert_id);

ALTER TABLE alerts ADD COLUMN joined_because TEXT;
ALTER TABLE cases ADD COLUMN joined INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN merged_into INTEGER REFERENCES cases (id);
ALTER TABLE cases ADD COLUMN split_from INTEGER REFERENCES cases (id);
ALTER TABLE cases ADD COLUMN decided TEXT;
CREATE INDEX cases_merged ON cases (merged_into) WHERE merged_into IS NOT NULL;

CREATE TABLE run_moves (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  case_id INTEGER NOT NULL REFERENCES cases (id),
  PRIMARY KEY (run_id, case_id)
) STRICT, WITHOUT ROWID;

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
