/**
 * When a run is to have its next turn, epoch milliseconds: null while a process has taken it, negative where one that had taken it is
 * gone, `maxWakeAt` where only an answer or the like wakes it. So what waits is a row, and nothing in memory.
 */
export const turnsOfRuns = `
ALTER TABLE runs ADD COLUMN wake_at INTEGER;
UPDATE runs SET wake_at = created_at WHERE status = 'queued';
DROP INDEX runs_unfinished;
CREATE INDEX runs_due ON runs (organization_id, wake_at) WHERE wake_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX runs_parked ON runs (wake_at) WHERE wake_at IS NOT NULL AND ended_at IS NULL AND started_at IS NOT NULL;
CREATE INDEX runs_taken ON runs (id) WHERE wake_at IS NULL AND ended_at IS NULL;
`
