/** Finds the containments that expire among all that ever had an expiry. */
export const expiringContainments = `
DROP INDEX containments_by_expiry;
CREATE INDEX containments_by_expiry ON containments (state, expires_at) WHERE expires_at IS NOT NULL;
`
