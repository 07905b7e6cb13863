/** For the runs of a case, and for what lists of alerts are filtered and sorted by. */
export const listIndexes = `
CREATE INDEX runs_of_case ON runs (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX alerts_of_type ON alerts (type) WHERE type IS NOT NULL;
CREATE INDEX alerts_of_status ON alerts (status);
CREATE INDEX alerts_by_creation ON alerts (created_at);
CREATE INDEX alerts_by_change ON alerts (modified_at);
`
