import type { ApiPlaybookResults, PlaybookTriggers } from '../api/types.ts'

/** Whether a user may run it. Only hides the button; the API decides. */
export const isManual = (source: string): boolean => /\bmanual:\s*true\b/.test(source)

/** Whether it keeps something between runs. */
export const declaresState = (source: string): boolean => /^state:/m.test(source)

/** Whether it runs in shadow, so that it has no runs of its own. */
export const isInShadow = (source: string): boolean => /^mode:/m.test(source)

/** Whether its alerts share cases with others by rules. */
export const correlatesAlerts = (source: string): boolean =>
  /^\s.*\bcorrelate:/m.test(source) || /^on:.*\bcorrelate:/m.test(source)

/** Whether alerts start it, so that it has recorded alerts. */
export const startsForAlerts = (source: string): boolean =>
  /^on:.*\balert:/m.test(source) || /^on:[^\S\n]*\n(?:[ \t].*\n)*?[ \t]+alert:/m.test(source)

/** Code of the organization that a source names. Undefined: it is shared. */
export const ownerIn = (source: string): string | undefined =>
  /^organization:[ \t]+["']?(\w+)["']?[ \t]*(?:#.*)?$/m.exec(source)?.[1]

/** The source with another organization, in a line of its own below the name; null: without. */
export function withOwner(source: string, code: string | null): string {
  const rest = source.replace(/^organization:.*(?:\n|$)/m, '')
  if (code === null) return rest
  const line = `organization: ${/^[A-Za-z_]/.test(code) ? code : `'${code}'`}\n`
  const name = /^name:.*\n/m.exec(rest)
  const at = name === null ? 0 : name.index + name[0].length
  return rest.slice(0, at) + line + rest.slice(at)
}

/** The template of a new playbook. */
export const newSource = `apiVersion: tocsin/v1
name: my-playbook
on: { manual: true }
steps:
  - return: done
`

/** The triggers as text after “triggered by”. */
export function triggerText(on: PlaybookTriggers | null): string {
  if (on === null) return 'nothing (does not match the installed skills)'
  const { alert, schedule, timezone, manual, call } = on
  const ways = [
    ...(alert === null ? [] : [alertText(alert)]),
    ...(schedule === null
      ? []
      : [`schedule (${schedule}${timezone === null || timezone === 'UTC' ? '' : ` in ${timezone}`})`]),
    ...(on.case === null
      ? []
      : [`case ${on.case.events.join(' or ').replaceAll('_', ' ')}${filtered(on.case)}`]),
    ...(on.entity === null
      ? []
      : [`${on.entity.kinds.join(' or ')} in ${on.entity.times} alerts${filtered(on.entity)}`]),
    ...(on.question === null ? [] : [`question${filtered(on.question)}`]),
    ...(on.run === null ? [] : [`run ${on.run.events.join(' or ')}${filtered(on.run)}`]),
    ...(on.webhook ? ['webhook'] : []),
    ...(manual ? ['manual'] : []),
    ...(call ? ['other playbooks'] : []),
  ]
  return ways.join(', ')
}

const filtered = ({ where }: { readonly where: boolean }): string => (where ? ' (filtered)' : '')

function alertText({ type, provider, where }: NonNullable<PlaybookTriggers['alert']>): string {
  return `${type === '*' ? 'all alerts' : type}${provider === null ? '' : ` from ${provider}`}${where ? ' (filtered)' : ''}`
}

/** The failure rate of the newest runs in percent; `<1 %` if not zero. */
export function failureRate({ failed, judged }: Pick<ApiPlaybookResults, 'failed' | 'judged'>): string {
  const percent = (100 * failed) / judged
  return failed > 0 && percent < 1 ? '<1 %' : `${Math.round(percent)} %`
}

/** The result of the newest runs as text. */
export function resultText({ failed, judged }: Pick<ApiPlaybookResults, 'failed' | 'judged'>): string {
  if (judged === 1) return failed === 0 ? 'the last run completed' : 'the last run failed'
  return failed === 0
    ? `none of the last ${judged} runs failed`
    : `${failureRate({ failed, judged })} of the last ${judged} runs failed`
}
