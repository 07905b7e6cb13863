/** Details from the content of an alert: its title, severity, time, and its id at the source. */
export const alertFactColumns = `
ALTER TABLE alerts ADD COLUMN title TEXT;
ALTER TABLE alerts ADD COLUMN severity TEXT;
ALTER TABLE alerts ADD COLUMN occurred_at INTEGER;
ALTER TABLE alerts ADD COLUMN source_id TEXT;
`
