/**
 * Groups of repeats. A group is forgotten some time after its end; of an alert it stays known with which one it was grouped (by its
 * sequence, the organization and provider being the same) and why. `follows`: the alert whose investigation, when it ends, is also the
 * end of this one's.
 */
export const alertGroups = `
CREATE TABLE alert_groups (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  fingerprint BLOB NOT NULL,
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  size INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  UNIQUE (organization_id, fingerprint)
) STRICT;
CREATE INDEX alert_groups_by_end ON alert_groups (ends_at);

ALTER TABLE alerts ADD COLUMN group_sequence INTEGER;
ALTER TABLE alerts ADD COLUMN group_reason TEXT;
ALTER TABLE alerts ADD COLUMN follows INTEGER REFERENCES alerts (id);
CREATE INDEX alerts_following ON alerts (follows, status) WHERE follows IS NOT NULL;
`
