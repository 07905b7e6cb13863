/** Uses of destructive skills count by class, and organizations have limits of their own: JSON of a limit for each class, or null. */
export const destructiveClasses = `
DROP TABLE destructive_uses;
CREATE TABLE destructive_uses (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  skill TEXT NOT NULL,
  class TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX destructive_uses_by_time ON destructive_uses (organization_id, class, used_at);
ALTER TABLE organizations ADD COLUMN destructive_limits TEXT;
`
