/**
 * The audit log. `entry` is the text that was hashed; the searchable columns are generated from it, so nothing is shown that is not
 * in the chain. Triggers let it only grow, and only by the next entry; that also stops REPLACE. `audit_exports` holds the cursor
 * of each export destination.
 */
export const auditTables = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER AS (entry ->> '$.at') VIRTUAL,
  action TEXT AS (entry ->> '$.action') VIRTUAL,
  actor_id TEXT AS (entry ->> '$.actor.id') VIRTUAL,
  actor_name TEXT AS (entry ->> '$.actor.name') VIRTUAL,
  organization_uuid TEXT AS (entry ->> '$.organization_uuid') VIRTUAL,
  subject_id TEXT AS (entry ->> '$.subject.id') VIRTUAL
) STRICT;
CREATE INDEX audit_by_organization ON audit (organization_uuid);
CREATE INDEX audit_by_subject ON audit (subject_id);
CREATE INDEX audit_by_action ON audit (action);
CREATE INDEX audit_by_actor_id ON audit (actor_id);
CREATE INDEX audit_by_actor_name ON audit (actor_name);
CREATE TRIGGER audit_keeps_entries BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_grows_by_one BEFORE INSERT ON audit
  WHEN NEW.id IS NOT (SELECT ifnull(max(id), 0) + 1 FROM audit)
  BEGIN SELECT RAISE(ABORT, 'the audit log grows by its next entry alone'); END;

CREATE TABLE audit_exports (
  destination TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`
