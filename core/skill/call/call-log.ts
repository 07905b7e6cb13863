import type { SkillCall } from '../../engine/skills/skill-caller.ts'
import type { SkillLog } from '../../plugin/index.ts'
import type { Log } from '../../ports/log.ts'
import type { Redactor } from '../redaction/redactor.ts'

const maxMessage = 1_000

/**
 * What a skill writes goes to the log of the process, without secrets and with the skill and run it comes from.
 *
 * @param redactors asked for at each line, since what they know grows during the call
 */
export function createSkillLog(
  log: Log,
  { skill, run }: Pick<SkillCall, 'skill' | 'run'>,
  redactors: readonly (() => Redactor)[],
): SkillLog {
  const write =
    (level: 'info' | 'warn') =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      let text = message
      let values: unknown = fields
      for (const redactor of redactors) {
        text = redactor().text(text)
        values = redactor().value(values)
      }
      log[level](
        { skill, run: run.uuid, ...(values === undefined ? {} : { fields: values }) },
        text.slice(0, maxMessage),
      )
    }
  return { info: write('info'), warn: write('warn') }
}
