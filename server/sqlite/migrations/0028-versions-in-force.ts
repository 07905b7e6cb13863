/** Who put a version of a playbook in force last, and when: null where that was before it was kept. */
export const versionsInForce = `
ALTER TABLE playbooks ADD COLUMN put_in_force_by TEXT;
ALTER TABLE playbooks ADD COLUMN put_in_force_at INTEGER;
`
