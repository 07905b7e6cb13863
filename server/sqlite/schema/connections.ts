/** Connections with their sealed secrets, the tokens of their inbound addresses, and the inbound calls received (to drop repeats). */
export const connectionsTables = `
CREATE TABLE connections (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  plugin TEXT NOT NULL,
  settings TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  secrets_at INTEGER,
  broken TEXT,
  warning TEXT,
  revision INTEGER NOT NULL DEFAULT 1,
  last_failure TEXT,
  UNIQUE (organization_id, folded_name)
) STRICT;

CREATE TABLE connection_secrets (
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  field TEXT NOT NULL,
  key_version INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (connection_id, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE events_tokens (
  connection_id INTEGER PRIMARY KEY REFERENCES connections (id),
  hash BLOB NOT NULL UNIQUE,
  key_version INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;

CREATE TABLE inbound_calls (
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  call BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (connection_id, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbound_calls_by_expiry ON inbound_calls (expires_at);
`
