/**
 * The audit log. The text of an entry is what its hash was made of; the columns to search by are read from that text, so that
 * nothing is shown that is not in the chain. It only grows, and only by the next entry: that also keeps REPLACE out.
 */
export const audit = `
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

CREATE TRIGGER audit_keeps_entries BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_grows_by_one BEFORE INSERT ON audit
  WHEN NEW.id IS NOT (SELECT ifnull(max(id), 0) + 1 FROM audit)
  BEGIN SELECT RAISE(ABORT, 'the audit log grows by its next entry alone'); END;

-- Calls a destructive skill: how it ends goes into the audit log too.
ALTER TABLE journal ADD COLUMN destructive INTEGER NOT NULL DEFAULT 0;
`
