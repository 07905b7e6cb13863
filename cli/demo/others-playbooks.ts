/** The folder of playbooks of somebody else, where the environment names one: nothing is expected of them. */
export const othersPlaybooks = (): string | undefined => process.env['TOCSIN_PLAYBOOKS_DIR'] || undefined
