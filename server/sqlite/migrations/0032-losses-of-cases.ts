/** How many alerts and runs of a case are kept no longer: it does not say that it never had them. */
export const lossesOfCases = `
ALTER TABLE cases ADD COLUMN alerts_deleted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cases ADD COLUMN runs_deleted INTEGER NOT NULL DEFAULT 0;
`
