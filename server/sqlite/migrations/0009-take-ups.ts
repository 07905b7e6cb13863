/** How often a start of the process has found the alert left at Created, to tell the one that brings the process down. */
export const takeUps = `
ALTER TABLE alerts ADD COLUMN take_ups INTEGER NOT NULL DEFAULT 0;
`
