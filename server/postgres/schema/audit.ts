/**
 * The audit log. `entry` is the text that was hashed. Triggers let it only grow, and only by the next entry, whose searchable columns they
 * read from the text. Generated columns would parse it seven times.
 */
export const auditDdl = `
CREATE TABLE audit (
  id bigint PRIMARY KEY,
  entry TEXT NOT NULL,
  hash TEXT NOT NULL,
  at bigint,
  action TEXT,
  actor_id TEXT,
  actor_name TEXT,
  organization_uuid TEXT,
  subject_id TEXT,
  skill TEXT
);
CREATE INDEX audit_by_action ON audit (action, id, at);
CREATE INDEX audit_by_actor_id ON audit (actor_id, id);
CREATE INDEX audit_by_actor_name ON audit (actor_name, id);
CREATE INDEX audit_by_organization ON audit (organization_uuid, id, at, action);
CREATE INDEX audit_by_skill ON audit (skill, id, at, action, organization_uuid) WHERE skill IS NOT NULL;
CREATE INDEX audit_by_subject ON audit (subject_id, id);
CREATE INDEX audit_by_time ON audit (at, id);
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE FUNCTION audit_grows_by_one() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE document json := json_of(NEW.entry);
BEGIN
  IF NEW.id IS DISTINCT FROM (SELECT coalesce(max(id), 0) + 1 FROM audit) THEN
    RAISE EXCEPTION 'the audit log grows by its next entry alone' USING ERRCODE = 'restrict_violation';
  END IF;
  SELECT x.at, x.action, x.actor ->> 'id', x.actor ->> 'name', x.organization_uuid, x.subject ->> 'id', x.details ->> 'skill'
    INTO NEW.at, NEW.action, NEW.actor_id, NEW.actor_name, NEW.organization_uuid, NEW.subject_id, NEW.skill
    FROM json_to_record(document) AS x (at bigint, action text, actor json, organization_uuid text, subject json, details json);
  RETURN NEW;
END $$;
CREATE TRIGGER audit_keeps_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_grows_by_one BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_grows_by_one();

CREATE TABLE audit_exports (
  destination TEXT PRIMARY KEY,
  sequence bigint NOT NULL,
  hash TEXT NOT NULL,
  at bigint NOT NULL
);
`
