/**
 * Nodes tell which nodes they count and how they are, and stay for an hour after they are gone; each background job belongs to one of them.
 * `runs.owner` is the node whose turn it is: an empty text for a process of an earlier version.
 */
const columns = (whole: string): string => `
ALTER TABLE nodes ADD COLUMN peers TEXT NOT NULL DEFAULT '[]';
ALTER TABLE nodes ADD COLUMN report TEXT;
ALTER TABLE nodes ADD COLUMN gone_at ${whole};
ALTER TABLE nodes ADD COLUMN gone_why TEXT;
ALTER TABLE runs ADD COLUMN owner TEXT;
UPDATE runs SET owner = '' WHERE wake_at IS NULL AND ended_at IS NULL AND status IN ('queued', 'running', 'waiting');
CREATE TABLE node_jobs (job TEXT PRIMARY KEY, node TEXT NOT NULL)`

export const nodeReports = {
  sqlite: `${columns('INTEGER')} STRICT, WITHOUT ROWID;\n`,
  postgres: `${columns('BIGINT')};\n`,
}
