/**
 * Accounts of people with their roles and ways to sign in, invitations, custom roles; sessions of accounts; owners, addresses and
 * rotation of API keys. Of codes, tokens and links only hashes are stored.
 */
export const accounts = `
CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  joined_at INTEGER,
  disabled_at INTEGER,
  last_used_at INTEGER,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE account_roles (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  role TEXT NOT NULL,
  organization_id INTEGER REFERENCES organizations (id)
) STRICT;
CREATE INDEX account_roles_of_account ON account_roles (account_id);

CREATE TABLE account_passwords (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  hash TEXT NOT NULL,
  changed_at INTEGER NOT NULL
) STRICT;

CREATE TABLE account_totp (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id),
  secret TEXT NOT NULL,
  confirmed_at INTEGER,
  last_step INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE recovery_codes (
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  code_hash BLOB NOT NULL,
  PRIMARY KEY (account_id, code_hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  credential_id TEXT NOT NULL UNIQUE,
  public_key BLOB NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  is_backed_up INTEGER NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX passkeys_of_account ON passkeys (account_id);

CREATE TABLE invitations (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  token_hash BLOB NOT NULL UNIQUE,
  account_id INTEGER REFERENCES accounts (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX invitations_of_account ON invitations (account_id);

CREATE TABLE custom_roles (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  organization_id INTEGER REFERENCES organizations (id),
  name TEXT NOT NULL COLLATE NOCASE UNIQUE,
  description TEXT NOT NULL,
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE sessions_of_all (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  token_hash BLOB NOT NULL UNIQUE,
  api_key_id INTEGER REFERENCES api_keys (id),
  account_id INTEGER REFERENCES accounts (id),
  method TEXT NOT NULL,
  client TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  CHECK ((api_key_id IS NULL) <> (account_id IS NULL))
) STRICT;
INSERT INTO sessions_of_all (id, uuid, token_hash, api_key_id, account_id, method, client, created_at, last_used_at)
  SELECT id, uuid, token_hash, api_key_id, NULL, 'api_key', '', created_at, last_used_at FROM sessions;
DROP TABLE sessions;
ALTER TABLE sessions_of_all RENAME TO sessions;
CREATE INDEX sessions_of_key ON sessions (api_key_id);
CREATE INDEX sessions_of_account ON sessions (account_id);

ALTER TABLE api_keys ADD COLUMN owner_id INTEGER REFERENCES accounts (id);
ALTER TABLE api_keys ADD COLUMN allowed_addresses TEXT;
ALTER TABLE api_keys ADD COLUMN rotated_at INTEGER;
ALTER TABLE api_keys ADD COLUMN previous_hash BLOB;
ALTER TABLE api_keys ADD COLUMN previous_until INTEGER;
CREATE INDEX api_keys_of_owner ON api_keys (owner_id);
`
