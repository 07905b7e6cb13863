/** How one skill is called: input and output checked, connection opened, statuses mapped, secrets kept out of sight. */
export { authenticate } from './authenticate.ts'
export { createSkillCaller } from './caller.ts'
export { checkHeaders } from './headers.ts'
export { Redactor } from './redactor.ts'
export { checkSettings, openSettings } from './settings.ts'
export { createTraffic } from './traffic.ts'
export type { Traffic } from './traffic.ts'
export { usableSettings } from './usable-settings.ts'
