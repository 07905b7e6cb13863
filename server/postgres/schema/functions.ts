import { storedMark } from './stored-text.ts'

const markInSql = `chr(${storedMark.codePointAt(0)})`

/**
 * A JSON text as `json`. PostgreSQL cannot take apart a document that has \u0000 or half of a surrogate pair anywhere, so these escapes
 * become what `toStored` writes. `(?<!\\)(\\\\)*` finds the start of an escape.
 */
const asJson = String.raw`(CASE WHEN strpos(document, '\u') = 0 THEN document ELSE
  regexp_replace(regexp_replace(document, '(?<!\\)((?:\\\\)*)\\u0000', '\1' || ${markInSql} || '0', 'g'),
    '(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})',
    '\1' || chr(65533), 'g')
  END)::json`

/** A JSON text for the reader, who restores U+0000 before it is parsed. */
const escaped = (json: string): string => String.raw`replace(${json}, ${markInSql} || '0', '\u0000')`

/** Long bodies are not inlined: each statement that writes an index with them would plan them again. */
const called = 'LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE'
const inlined = 'LANGUAGE sql IMMUTABLE PARALLEL SAFE'

/**
 * Functions of SQLite that statements use and PostgreSQL lacks, with the same results. A path is `$.name` or `$.name.name`. Bodies use
 * only functions of PostgreSQL itself: indexes are built and restored with an empty `search_path`.
 */
export const functions = `
CREATE FUNCTION json_part(document text, path text) RETURNS text ${called} AS $$
BEGIN RETURN ${asJson} #>> string_to_array(substr(path, 3), '.'); END $$;
CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_part);

CREATE FUNCTION json_part_as_json(document text, path text) RETURNS text ${inlined} AS $$
  SELECT ${escaped(`(${asJson} #> string_to_array(substr(path, 3), '.'))::text`)} $$;
CREATE OPERATOR -> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_part_as_json);

CREATE FUNCTION json_each(document text) RETURNS TABLE (key bigint, value text) ${inlined} AS $$
  SELECT each.key - 1, each.value FROM json_array_elements_text(${asJson}) WITH ORDINALITY AS each (value, key) $$;

CREATE FUNCTION json_quote(value text) RETURNS text ${inlined} AS $$
  SELECT coalesce(${escaped('to_json(value)::text')}, 'null') $$;
CREATE FUNCTION json_list(list text[]) RETURNS text ${inlined} AS $$
  SELECT ${escaped('to_json(list)::text')} $$;
CREATE AGGREGATE json_group_array(text) (SFUNC = array_append, STYPE = text[], INITCOND = '{}', FINALFUNC = json_list);

CREATE FUNCTION max(a anycompatible, b anycompatible) RETURNS anycompatible ${inlined} AS $$
  SELECT CASE WHEN a >= b THEN a WHEN b > a THEN b END $$;
CREATE FUNCTION min(a anycompatible, b anycompatible) RETURNS anycompatible ${inlined} AS $$
  SELECT CASE WHEN a <= b THEN a WHEN b < a THEN b END $$;

CREATE FUNCTION instr(within text, part text) RETURNS bigint ${inlined} AS $$
  SELECT strpos(within, part)::bigint $$;

CREATE FUNCTION json_of(document text) RETURNS json ${called} AS $$
BEGIN RETURN ${asJson}; END $$;

CREATE FUNCTION open_sealed(sealed text, place text) RETURNS text ${inlined} AS $$
  SELECT ${markInSql} || '2' || place || ${markInSql} || '2' || sealed $$;
`
