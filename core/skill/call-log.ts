import type { SkillLog } from '../plugin/index.ts'
import type { Log } from '../ports.ts'
import type { Redactor } from './redactor.ts'

const maxMessage = 1_000

/** What a skill writes goes to the log of the process, without secrets and with the skill and run it comes from. */
export function createSkillLog(log: Log, skill: string, runUuid: string, redactor: Redactor): SkillLog {
  const write =
    (level: 'info' | 'warn') =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      const shown = redactor.text(message).slice(0, maxMessage)
      log[level](
        { skill, run: runUuid, ...(fields === undefined ? {} : { fields: redactor.value(fields) }) },
        shown,
      )
    }
  return { info: write('info'), warn: write('warn') }
}
