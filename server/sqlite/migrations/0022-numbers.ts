/**
 * Numbers by hours and days (`period` in milliseconds, `at` its start in UTC). Alerts are counted when they are taken into the indexes of
 * lists, runs and timeline entries up to a mark in `facts`. `runs.counted`: 0 for a run that was active at that moment, then 1.
 * `case_marks` has the first times of a case. Text columns are empty where a value is missing.
 */
export const numberTables = `
CREATE TABLE alert_numbers (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  period INTEGER NOT NULL,
  at INTEGER NOT NULL,
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  type TEXT NOT NULL,
  severity TEXT NOT NULL,
  alerts INTEGER NOT NULL,
  repeats INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, at, provider_id, type, severity)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_numbers (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  period INTEGER NOT NULL,
  at INTEGER NOT NULL,
  playbook_name TEXT NOT NULL,
  status TEXT NOT NULL,
  cause TEXT NOT NULL,
  runs INTEGER NOT NULL,
  started INTEGER NOT NULL,
  total_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, at, playbook_name, status, cause)
) STRICT, WITHOUT ROWID;

CREATE TABLE time_numbers (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  period INTEGER NOT NULL,
  at INTEGER NOT NULL,
  measure TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  total_ms INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, at, measure, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE question_numbers (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  period INTEGER NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  answer TEXT NOT NULL,
  questions INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period, at, state, answer)
) STRICT, WITHOUT ROWID;

CREATE TABLE case_marks (
  case_id INTEGER NOT NULL REFERENCES cases (id),
  measure TEXT NOT NULL,
  PRIMARY KEY (case_id, measure)
) STRICT, WITHOUT ROWID;

ALTER TABLE runs ADD COLUMN counted INTEGER;
CREATE INDEX runs_uncounted ON runs (id) WHERE counted = 0 AND ended_at IS NOT NULL;
ALTER TABLE checkpoints ADD COLUMN counted INTEGER;
CREATE INDEX checkpoints_uncounted ON checkpoints (id) WHERE counted IS NULL AND state <> 'waiting';
CREATE INDEX containments_by_creation ON containments (organization_id, created_at);

INSERT INTO facts (name, value) VALUES ('runs_counted_to', 0), ('entries_counted_to', 0);

INSERT INTO alert_numbers (organization_id, period, at, provider_id, type, severity, alerts, repeats)
SELECT organization_id, period, created_at / period * period, provider_id, ifnull(type, ''), ifnull(severity, ''),
  count(*) FILTER (WHERE group_sequence IS NULL), count(group_sequence)
FROM alerts, (SELECT 3600000 AS period UNION ALL SELECT 86400000) WHERE listed = 1 GROUP BY 1, 2, 3, 4, 5, 6;
`
