/**
 * Who wrote what stands in a case, by kind and id; `author` is the name. What cannot have come from an API key is of the run or the grouping
 * that it names. A note or a change that names a run may have been written with a key that somebody gave such a name: it is of the run only
 * where no key has it. A key is known where one alone has the name.
 */
export const authorsOfEntries = `
ALTER TABLE case_entries ADD COLUMN author_kind TEXT NOT NULL DEFAULT 'api_key';
ALTER TABLE case_entries ADD COLUMN author_id TEXT NOT NULL DEFAULT '';
ALTER TABLE case_entries ADD COLUMN request_id TEXT;

DROP TRIGGER case_entries_stay;

UPDATE case_entries SET author_kind = 'server', author_id = 'server'
  WHERE author = 'grouping of repeats' AND kind = 'alert';
UPDATE case_entries SET author_kind = 'run', author_id = substr(author, 5),
    author = coalesce((SELECT r.playbook_name FROM runs r WHERE r.uuid = substr(case_entries.author, 5)), author)
  WHERE author GLOB 'run *'
    AND (kind NOT IN ('note', 'changed') OR NOT EXISTS (SELECT 1 FROM api_keys k WHERE k.name = case_entries.author));
UPDATE case_entries SET author_id = (SELECT min(k.public_id) FROM api_keys k WHERE k.name = case_entries.author)
  WHERE author_kind = 'api_key' AND (SELECT count(*) FROM api_keys k WHERE k.name = case_entries.author) = 1;

CREATE TRIGGER case_entries_stay BEFORE UPDATE ON case_entries
  BEGIN SELECT RAISE(ABORT, 'what happened in a case is append-only'); END;
`
