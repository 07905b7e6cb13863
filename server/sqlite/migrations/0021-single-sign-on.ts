/**
 * Sign-ins that wait for the identity provider, the identities of accounts, the provider's side of sessions, and logout tokens that were
 * used.
 */
export const singleSignOn = `
CREATE TABLE sign_on_attempts (
  id INTEGER PRIMARY KEY,
  browser_hash BLOB NOT NULL UNIQUE,
  state TEXT NOT NULL,
  nonce TEXT NOT NULL,
  verifier TEXT NOT NULL,
  return_to TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sign_on_attempts_by_expiry ON sign_on_attempts (expires_at);

CREATE TABLE account_identities (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;
CREATE INDEX account_identities_of_account ON account_identities (account_id);

CREATE TABLE provider_sessions (
  session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  provider_session TEXT,
  sealed_tokens BLOB NOT NULL,
  is_renewable INTEGER NOT NULL,
  checked_at INTEGER NOT NULL
) STRICT;
CREATE INDEX provider_sessions_of_person ON provider_sessions (issuer, subject);
CREATE INDEX provider_sessions_by_id ON provider_sessions (issuer, provider_session);

CREATE TABLE logout_tokens (
  hash BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX logout_tokens_by_expiry ON logout_tokens (expires_at);
`
