/** The time zone of the cron expression of a schedule. */
export const scheduleTimeZones = `
ALTER TABLE schedules ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC';
`
