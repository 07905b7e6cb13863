/** References to secrets that a connection reads from a variable, a file or Vault, as JSON by setting. */
export const secretReferences = `
ALTER TABLE connections ADD COLUMN secret_references TEXT NOT NULL DEFAULT '{}';
`
