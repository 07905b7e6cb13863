/** Which playbooks were considered for the alert of a run, and why they were not chosen: for the timeline of its case. */
export const choicesOfRuns = `
ALTER TABLE runs ADD COLUMN choice TEXT;
`
