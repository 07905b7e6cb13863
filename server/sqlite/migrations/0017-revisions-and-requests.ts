/** Revisions of what people edit, which an edit names; and what requests with an idempotency key were answered. */
export const revisionsAndRequests = `
ALTER TABLE organizations ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE providers ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE connections ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;

-- Of a key there is only the hash, and what was sent is hashed with the key: it can hold secrets.
CREATE TABLE once_requests (
  api_key_uuid TEXT NOT NULL,
  key_hash BLOB NOT NULL,
  fingerprint BLOB NOT NULL,
  answer TEXT,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_uuid, key_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX once_requests_by_expiry ON once_requests (expires_at);
`
