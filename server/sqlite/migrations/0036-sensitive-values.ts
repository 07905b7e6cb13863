/** Where something sensitive stands in the input and the output of a step. */
export const sensitiveValues = `
ALTER TABLE journal ADD COLUMN sensitive TEXT;
`
