/**
 * Waits of runs for events. `position` is the last alert or change that was examined. A wait has keys while the next event that fits is
 * to wake its run. Changes of cases are kept for each wait, because they are stored nowhere else.
 */
export const eventWaits = `
CREATE TABLE event_waits (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  path TEXT NOT NULL,
  filter TEXT NOT NULL,
  position INTEGER NOT NULL,
  examined INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  last_failure TEXT,
  misses INTEGER NOT NULL DEFAULT 0,
  UNIQUE (run_id, path)
) STRICT;

CREATE TABLE event_wait_keys (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  key TEXT NOT NULL,
  wait_id INTEGER NOT NULL REFERENCES event_waits (id),
  PRIMARY KEY (organization_id, key, wait_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE awaited_changes (
  wait_id INTEGER NOT NULL REFERENCES event_waits (id),
  position INTEGER NOT NULL,
  at INTEGER NOT NULL,
  change TEXT NOT NULL,
  PRIMARY KEY (wait_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_wait_keys_of_wait ON event_wait_keys (wait_id);
`
