/** How one skill is called: input and output checked, connection opened, statuses mapped, secrets kept out of sight. */
export { authenticate } from './authenticate.ts'
export { createSkillCaller } from './caller.ts'
export type { SkillCallerOptions } from './caller.ts'
export { checkSettings } from './settings.ts'
export type { CheckedSettings } from './settings.ts'
