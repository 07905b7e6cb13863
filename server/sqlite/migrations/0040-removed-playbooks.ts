/** When the file of a playbook was found to be gone from the playbooks folder: once for each removal. */
export const removedPlaybooks = `
ALTER TABLE playbooks ADD COLUMN removed_at INTEGER;
`
