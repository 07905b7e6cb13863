/** How a connection was refused the last time, until it works again. */
export const failuresOfConnections = `
ALTER TABLE connections ADD COLUMN last_failure TEXT;
`
