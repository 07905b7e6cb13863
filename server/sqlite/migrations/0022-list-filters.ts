/** For lists of one organization's alerts by status, and of a provider's: without them all alerts are looked through for the few that fit. */
export const listFilters = `
CREATE INDEX alerts_of_organization_by_status ON alerts (organization_id, status);
CREATE INDEX alerts_of_provider ON alerts (provider_id);
`
