/**
 * Starts that rate limits of playbooks count, and those that wait (`waits`) until `at`. The path of a run itself is empty. Queued
 * runs may wait for a time too, so `runs_parked` includes them.
 */
export const rateLimits = `
CREATE TABLE rated_starts (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  step_id TEXT NOT NULL,
  key TEXT NOT NULL,
  waits INTEGER NOT NULL,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (run_id, path)
) STRICT;
CREATE INDEX rated_starts_made ON rated_starts (organization_id, playbook_name, step_id, key, at) WHERE waits = 0;
CREATE INDEX rated_starts_waiting ON rated_starts (organization_id, playbook_name, step_id, key, id) WHERE waits = 1;
CREATE INDEX rated_starts_newest ON rated_starts (at) WHERE waits = 0;
CREATE INDEX rated_starts_outlived ON rated_starts (expires_at);

ALTER TABLE runs ADD COLUMN rate TEXT;
DROP INDEX runs_parked;
CREATE INDEX runs_parked ON runs (wake_at, id) WHERE wake_at > 0 AND ended_at IS NULL;
`
