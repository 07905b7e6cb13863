/** Edits of API keys name the revision that they read. */
export const keyRevisions = 'ALTER TABLE api_keys ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;'
