/** How far the audit log has been exported, for each destination. */
export const auditExports = `
CREATE TABLE audit_exports (
  destination TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
