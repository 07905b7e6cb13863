/**
 * Alerts on which shadows are judged, with the results. `playbook_name` is the shadow, `run_id` the run that investigated the alert.
 * Rows without `judged_at` wait. `summary` and `detail` have no sensitive values.
 */
export const shadowResults = `
CREATE TABLE shadow_results (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  playbook_hash TEXT,
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  run_id INTEGER NOT NULL REFERENCES runs (id),
  attempts INTEGER NOT NULL DEFAULT 0,
  queued_at INTEGER NOT NULL,
  judged_at INTEGER,
  outcome TEXT,
  summary TEXT,
  detail TEXT,
  UNIQUE (alert_id, playbook_name)
) STRICT;
CREATE INDEX shadow_results_of_playbook ON shadow_results (playbook_name, queued_at);
CREATE INDEX shadow_results_of_run ON shadow_results (run_id);
CREATE INDEX shadow_results_waiting ON shadow_results (organization_id, playbook_name) WHERE judged_at IS NULL;
`
