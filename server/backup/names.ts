/** In a backup, before the names of playbooks. */
export const playbooksName = 'playbooks/'
export const masterKeyName = 'master.key'
