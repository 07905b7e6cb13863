/**
 * What the other system of a connection sends to us: the token of its address, what was received already, who is asked over which
 * connection, and what became known of the connection itself.
 */
export const inbound = `
-- When its secrets were entered. Of those that are there: no earlier than the connection.
ALTER TABLE connections ADD COLUMN secrets_at INTEGER;
UPDATE connections SET secrets_at = created_at
  WHERE EXISTS (SELECT 1 FROM connection_secrets WHERE connection_id = connections.id);
-- JSON: reason and time.
ALTER TABLE connections ADD COLUMN broken TEXT;
ALTER TABLE connections ADD COLUMN warning TEXT;

-- Sealed to be shown in a manifest, and as SHA-256 to be found. A connection from before has one from when it is first asked for.
CREATE TABLE events_tokens (
  connection_id INTEGER PRIMARY KEY REFERENCES connections (id),
  hash BLOB NOT NULL UNIQUE,
  key_version INTEGER NOT NULL,
  sealed BLOB NOT NULL
) STRICT;

-- Calls that were taken: SHA-256 of what the other system repeats with them.
CREATE TABLE inbound_calls (
  connection_id INTEGER NOT NULL REFERENCES connections (id),
  call BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (connection_id, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX inbound_calls_by_expiry ON inbound_calls (expires_at);

-- Name of the connection that a question went out over, and whom it asks there.
ALTER TABLE checkpoints ADD COLUMN connection TEXT;
ALTER TABLE checkpoints ADD COLUMN asked TEXT;
CREATE INDEX checkpoints_of_person ON checkpoints (organization_id, connection, asked, id) WHERE asked IS NOT NULL;
`
