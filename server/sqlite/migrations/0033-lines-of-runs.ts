/** The lines of a run in their order, however many there are: found without sorting them. Of two indexes of the same one goes. */
export const linesOfRuns = `
CREATE INDEX journal_of_run ON journal (run_id);
DROP INDEX journal_of_unknown;
`
