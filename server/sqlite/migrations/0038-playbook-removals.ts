/** Who deleted a playbook: on another node, the file that it still has is not a new playbook. Null: unknown. */
export const playbookRemovals = 'ALTER TABLE playbooks ADD COLUMN removed_by TEXT;'
