/**
 * The revision of a case, which an edit names; its severity as a number, to sort by; and the entry that a repeated note has made. What
 * happened in a case is only ever added to.
 */
export const caseEdits = `
ALTER TABLE cases ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cases ADD COLUMN severity_rank INTEGER AS (CASE severity WHEN 'critical' THEN 5 WHEN 'high' THEN 4
  WHEN 'medium' THEN 3 WHEN 'low' THEN 2 ELSE 1 END) VIRTUAL;
ALTER TABLE case_writes ADD COLUMN entry_id INTEGER REFERENCES case_entries (id);

CREATE TRIGGER case_entries_stay BEFORE UPDATE ON case_entries
  BEGIN SELECT RAISE(ABORT, 'what happened in a case is append-only'); END;
CREATE TRIGGER case_entries_are_kept BEFORE DELETE ON case_entries
  BEGIN SELECT RAISE(ABORT, 'what happened in a case is append-only'); END;
`
