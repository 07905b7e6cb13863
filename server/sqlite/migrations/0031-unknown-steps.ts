/** Steps that somebody has to decide: few of them, in a journal of many. */
export const unknownSteps = `
CREATE INDEX journal_of_unknown ON journal (run_id) WHERE state = 'unknown';
`
