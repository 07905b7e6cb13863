/** Prefix of the names of playbooks in a backup. */
export const playbooksName = 'playbooks/'
export const masterKeyName = 'master.key'
