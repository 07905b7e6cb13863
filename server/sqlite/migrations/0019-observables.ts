/**
 * The index of observables, filled in the background up to `facts.alerts_observed_to` and `runs_observed_to`. `observed_case` is the
 * case for which a row is counted in `observable_cases` (0: none); null: not indexed. `observed_end`: indexed after its end. The partial
 * indexes find rows that moved or ended since; most rows are settled when they are indexed, and never get there.
 */
export const observables = `
CREATE TABLE observables (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  alerts INTEGER NOT NULL DEFAULT 0,
  runs INTEGER NOT NULL DEFAULT 0,
  cases INTEGER NOT NULL DEFAULT 0,
  UNIQUE (value, kind, organization_id)
) STRICT;
CREATE INDEX observables_of_organization ON observables (organization_id);

CREATE TABLE observable_alerts (
  observable_id INTEGER NOT NULL REFERENCES observables (id),
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  PRIMARY KEY (observable_id, alert_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX observable_alerts_of_alert ON observable_alerts (alert_id);

CREATE TABLE observable_runs (
  observable_id INTEGER NOT NULL REFERENCES observables (id),
  run_id INTEGER NOT NULL REFERENCES runs (id),
  PRIMARY KEY (observable_id, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX observable_runs_of_run ON observable_runs (run_id);

CREATE TABLE observable_cases (
  observable_id INTEGER NOT NULL REFERENCES observables (id),
  case_id INTEGER NOT NULL REFERENCES cases (id),
  alerts INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (observable_id, case_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX observable_cases_of_case ON observable_cases (case_id);

CREATE TABLE observable_findings (
  id INTEGER PRIMARY KEY,
  observable_id INTEGER NOT NULL REFERENCES observables (id),
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  source TEXT NOT NULL,
  at INTEGER NOT NULL,
  score REAL,
  level TEXT,
  summary TEXT,
  error TEXT,
  UNIQUE (run_id, path)
) STRICT;
CREATE INDEX observable_findings_of_observable ON observable_findings (observable_id, at, id);

ALTER TABLE alerts ADD COLUMN observed_case INTEGER;
ALTER TABLE runs ADD COLUMN observed_case INTEGER;
ALTER TABLE runs ADD COLUMN observed_end INTEGER;
CREATE INDEX alerts_observed_elsewhere ON alerts (id) WHERE observed_case IS NOT NULL AND observed_case <> ifnull(case_id, 0);
CREATE INDEX runs_observed_elsewhere ON runs (id) WHERE observed_case IS NOT NULL AND observed_case <> ifnull(case_id, 0);
CREATE INDEX runs_observed_before_end ON runs (id) WHERE observed_end = 0 AND ended_at IS NOT NULL;

INSERT INTO facts (name, value) VALUES ('alerts_observed_to', 0), ('runs_observed_to', 0);
`
