/** Uses of destructive skills: counted with the intent of the call, once for each step. Cleared away some time after their hour. */
export const destructiveUses = `
CREATE TABLE destructive_uses (
  run_id INTEGER NOT NULL REFERENCES runs (id),
  path TEXT NOT NULL,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  skill TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (run_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX destructive_uses_by_time ON destructive_uses (organization_id, skill, used_at);
`
