/**
 * Runs that are kept no longer: when their journal, inputs and output were deleted, and whether that is under way (`pruning`). The other indexes
 * are for deleting what they refer to.
 */
export const retention = `
ALTER TABLE runs ADD COLUMN pruned_at INTEGER;
ALTER TABLE runs ADD COLUMN pruning INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_pruning ON runs (id) WHERE pruning = 1;

CREATE INDEX journal_carried ON journal (carried_from) WHERE carried_from IS NOT NULL;
CREATE INDEX alert_requests_of_alert ON alert_requests (alert_id);
CREATE INDEX alert_groups_of_alert ON alert_groups (alert_id);
`
