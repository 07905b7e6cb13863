/** What the answer to a request with an idempotency key can be made of again, where it was lost with the process. */
export const recalledAnswers = `
ALTER TABLE once_requests ADD COLUMN kept TEXT;
`
