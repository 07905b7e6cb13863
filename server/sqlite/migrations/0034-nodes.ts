/** Processes that take part in failover; see `NodeStore`. */
export const nodes = `
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  program TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
