/**
 * `owner` is JSON; NULL: the run of the action. `expires_at` NULL: only people undo the containment. `unless` is the source of a
 * condition.
 */
export const containmentExpiry = `
ALTER TABLE containments ADD COLUMN owner TEXT;
ALTER TABLE containments ADD COLUMN expires_at INTEGER;
ALTER TABLE containments ADD COLUMN unless TEXT;
ALTER TABLE containments ADD COLUMN note TEXT;
CREATE INDEX containments_by_expiry ON containments (expires_at) WHERE expires_at IS NOT NULL;
`
