import type pg from 'pg'

/** In the template: the rows that a new database has, how to restore them, and which tables have rows or had some. */
export const prepareToEmpty = `
CREATE SCHEMA fresh;
CREATE TABLE fresh.sequences AS
  SELECT c.oid::regclass AS name, coalesce(pg_sequence_last_value(c.oid), s.seqstart) AS value, pg_sequence_last_value(c.oid) IS NOT NULL AS is_called
  FROM pg_class c JOIN pg_sequence s ON s.seqrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace;
CREATE TABLE fresh.rows (name regclass, columns text);
CREATE VIEW fresh.filled AS
  SELECT c.oid::regclass AS name FROM pg_class c
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0;
DO $$
DECLARE t record;
BEGIN
  FOR t IN SELECT name, (
    SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
    WHERE attrelid = name AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns FROM fresh.filled
  LOOP
    EXECUTE format('CREATE TABLE fresh.%I AS SELECT %s FROM %s', 'rows of ' || t.name, t.columns, t.name);
    INSERT INTO fresh.rows VALUES (t.name, t.columns);
  END LOOP;
END $$;
CREATE FUNCTION fresh.empty() RETURNS text LANGUAGE plpgsql AS $$
DECLARE t record;
BEGIN
  FOR t IN TABLE fresh.filled LOOP
    EXECUTE format('DELETE FROM %s', t.name);
  END LOOP;
  RETURN (SELECT string_agg(name::text, ', ') FROM fresh.filled);
END $$;
CREATE FUNCTION fresh.restore() RETURNS void LANGUAGE plpgsql AS $$
DECLARE t record;
BEGIN
  FOR t IN TABLE fresh.rows LOOP
    EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE TABLE fresh.%I', t.name, t.columns, 'rows of ' || t.name);
  END LOOP;
  PERFORM setval(name, value, is_called) FROM fresh.sequences;
END $$;
`

/** Triggers and foreign keys do not act: the audit log keeps its entries otherwise. */
export const emptyingOptions = '-c session_replication_role=replica'

/**
 * Ends all other connections, and makes rows and sequences those of the template. Tables are as small as in a new database, so that
 * statements have the same plans.
 *
 * @param client connected with `emptyingOptions` to a copy of a template that ran `prepareToEmpty`
 */
export async function emptyDatabase(client: pg.Client): Promise<void> {
  await client.query(
    'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  const { rows } = await client.query<{ tables: string }>('SELECT fresh.empty() AS tables')
  await client.query(`VACUUM ${rows[0]?.tables ?? ''}`)
  await client.query('SELECT fresh.restore()')
}
