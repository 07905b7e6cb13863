/** The newest runs of a playbook, and how many there were of which organization: all that is counted stands in the index. */
export const resultsOfPlaybooks = `
CREATE INDEX runs_of_playbook ON runs (playbook_name, created_at, organization_id, alert_id);
`
