/**
 * Events that may start playbooks, until they are settled: a changed case, or a stored alert whose observables are counted. `chain`
 * lists the playbooks whose runs led to the event. Sightings are kept for the longest window of a playbook.
 */
export const triggerTables = `
ALTER TABLE runs ADD COLUMN trigger_data TEXT;
ALTER TABLE runs ADD COLUMN trigger_chain TEXT;

CREATE TABLE trigger_events (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  subject_id INTEGER NOT NULL,
  chain TEXT NOT NULL,
  data TEXT
) STRICT;
CREATE INDEX trigger_events_of_organization ON trigger_events (organization_id, id);

CREATE TABLE entity_sightings (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  at INTEGER NOT NULL,
  alert TEXT NOT NULL,
  PRIMARY KEY (organization_id, kind, value, at, alert)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_sightings_by_time ON entity_sightings (at);

CREATE TABLE entity_firings (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  playbook_name TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, playbook_name, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_firings_by_time ON entity_firings (at);
`
