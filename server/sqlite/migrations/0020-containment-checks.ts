/**
 * What checks of the other system found about containments. `state_call` has the input and the output of the containing call; it is
 * encrypted if one of them is sensitive. `check_at` NULL: the state is not read. `ended_by` NULL: not undone.
 */
export const containmentChecks = `
ALTER TABLE containments ADD COLUMN state_call TEXT;
ALTER TABLE containments ADD COLUMN state_seen TEXT;
ALTER TABLE containments ADD COLUMN seen_since INTEGER;
ALTER TABLE containments ADD COLUMN state_checked_at INTEGER;
ALTER TABLE containments ADD COLUMN state_error TEXT;
ALTER TABLE containments ADD COLUMN was_contained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE containments ADD COLUMN check_at INTEGER;
ALTER TABLE containments ADD COLUMN ended_by TEXT;
UPDATE containments SET ended_by = 'call' WHERE state = 'undone';
CREATE INDEX containments_by_check ON containments (check_at) WHERE check_at IS NOT NULL;
`
