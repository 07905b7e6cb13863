/** People who are signed in at the web page. Of a token there is only the hash. */
export const sessions = `
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  token_hash BLOB NOT NULL UNIQUE,
  api_key_id INTEGER NOT NULL REFERENCES api_keys (id),
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_key ON sessions (api_key_id);
`
