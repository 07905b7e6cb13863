/**
 * Alerts, their search index and their groups. The content is in a separate table, so that a change of status
 * does not write a megabyte again. `alert_search` holds no text: it is built from `alerts` and
 * `alert_contents` up to `facts.alerts_indexed_to`. Indexes of rows with `listed = 1` are written later than
 * the row, see `context/listed-rows.ts`.
 */
export const alertsTables = `
CREATE TABLE alert_sequences (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  last INTEGER NOT NULL,
  PRIMARY KEY (organization_id, provider_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  provider_id INTEGER NOT NULL REFERENCES providers (id),
  sequence INTEGER NOT NULL,
  type TEXT,
  created_at_source INTEGER,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  retry_count INTEGER NOT NULL DEFAULT 0,
  investigator TEXT,
  case_id INTEGER REFERENCES cases (id),
  completed_at INTEGER,
  take_ups INTEGER NOT NULL DEFAULT 0,
  group_sequence INTEGER,
  group_reason TEXT,
  follows INTEGER REFERENCES alerts (id),
  content_preview TEXT,
  listed INTEGER NOT NULL DEFAULT 0,
  UNIQUE (organization_id, provider_id, sequence)
) STRICT;
CREATE INDEX alerts_of_organization ON alerts (organization_id) WHERE listed = 1;
CREATE INDEX alerts_of_case ON alerts (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX alerts_awaiting_investigation ON alerts (id) WHERE status = 0 AND type IS NOT NULL;
CREATE INDEX alerts_of_type ON alerts (type) WHERE listed = 1;
CREATE INDEX alerts_of_status ON alerts (status) WHERE listed = 1;
CREATE INDEX alerts_by_creation ON alerts (created_at) WHERE listed = 1;
CREATE INDEX alerts_by_change ON alerts (modified_at) WHERE listed = 1;
CREATE INDEX alerts_following ON alerts (follows, status) WHERE follows IS NOT NULL;
CREATE INDEX alerts_of_organization_by_status ON alerts (organization_id, status) WHERE listed = 1;
CREATE INDEX alerts_of_provider ON alerts (provider_id) WHERE listed = 1;

CREATE TABLE alert_contents (
  alert_id INTEGER PRIMARY KEY REFERENCES alerts (id),
  content ANY NOT NULL
) STRICT;

CREATE TABLE alert_requests (
  api_key_uuid TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_uuid, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_requests_by_expiry ON alert_requests (expires_at);
CREATE INDEX alert_requests_of_alert ON alert_requests (alert_id);

CREATE VIRTUAL TABLE alert_search USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61');

CREATE TABLE alert_groups (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  fingerprint BLOB NOT NULL,
  alert_id INTEGER NOT NULL REFERENCES alerts (id),
  size INTEGER NOT NULL,
  begins_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (organization_id, fingerprint)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_groups_by_end ON alert_groups (ends_at);
CREATE INDEX alert_groups_of_repeats ON alert_groups (size) WHERE size > 1;
CREATE INDEX alert_groups_of_alert ON alert_groups (alert_id);

INSERT INTO facts (name, value) VALUES ('alerts_indexed_to', 0), ('alerts_listed_to', 0);
`
