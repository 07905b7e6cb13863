/** Paths of a journal that a retry carries over and that are not copied yet. `drops`: the run is dropped where its key is taken once they are. */
export const journalCopies = `
CREATE TABLE journal_copies (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  paths TEXT NOT NULL,
  drops INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_copies_of_run ON journal_copies (run_id);
`
