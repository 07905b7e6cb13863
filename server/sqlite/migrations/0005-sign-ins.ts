/** OAuth 2.0 sign-ins of connections: their state as JSON, and their tokens encrypted. */
export const signIns = `
ALTER TABLE connections ADD COLUMN sign_in TEXT;

CREATE TABLE sign_in_tokens (
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  field TEXT NOT NULL,
  key_version INTEGER NOT NULL,
  sealed BLOB NOT NULL,
  PRIMARY KEY (connection_id, field)
) STRICT, WITHOUT ROWID;
`
