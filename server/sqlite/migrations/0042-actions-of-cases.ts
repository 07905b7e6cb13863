/** What destructive skills did, in the timelines of cases: JSON of the action, as it was known by then. */
export const actionsOfCases = `
ALTER TABLE case_entries ADD COLUMN action TEXT;
CREATE INDEX case_actions ON case_entries (case_id) WHERE kind = 'action';
`
