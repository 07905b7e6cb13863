/**
 * Organizations, providers, API keys, sessions, and the answers kept for idempotency keys. Codes compare ignoring case (they
 * are ASCII). Rows refer to each other by integer; uuids are for the outside. Of keys and tokens only hashes are stored.
 */
export const accessTables = `
CREATE TABLE facts (
  name TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  code TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name TEXT NOT NULL,
  last_case_number INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  destructive_limits TEXT
) STRICT;

CREATE TABLE providers (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL COLLATE NOCASE UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  public_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  all_organizations INTEGER NOT NULL,
  secret_hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE TABLE api_key_organizations (
  api_key_id INTEGER NOT NULL REFERENCES api_keys (id),
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  PRIMARY KEY (api_key_id, organization_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  token_hash BLOB NOT NULL UNIQUE,
  api_key_id INTEGER NOT NULL REFERENCES api_keys (id),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_key ON sessions (api_key_id);

CREATE TABLE once_requests (
  api_key_uuid TEXT NOT NULL,
  key_hash BLOB NOT NULL,
  fingerprint BLOB NOT NULL,
  answer TEXT,
  expires_at INTEGER NOT NULL,
  kept TEXT,
  PRIMARY KEY (api_key_uuid, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX once_requests_by_expiry ON once_requests (expires_at);
`
