import type { StartedOn } from '../playbook.ts'
import type { PlaybookResults } from './use-results.ts'

/** What starts a playbook, in a few words behind “triggered by”. */
export function startsText(on: StartedOn | null): string {
  if (on === null) return 'nothing (does not match the installed skills)'
  const { alert, schedule, manual, call } = on
  const ways = [
    ...(alert === null ? [] : [alertText(alert)]),
    ...(schedule === null ? [] : [`schedule (${schedule})`]),
    ...(manual ? ['manual'] : []),
    ...(call ? ['other playbooks'] : []),
  ]
  return ways.join(', ')
}

function alertText({ type, provider, where }: NonNullable<StartedOn['alert']>): string {
  return `${type}${provider === null ? '' : ` from ${provider}`}${where ? ' (filtered)' : ''}`
}

/** How many of the newest runs that ended failed, in percent; `<1 %` where it is not none. */
export function failureText({ failed, judged }: Pick<PlaybookResults, 'failed' | 'judged'>): string {
  const percent = (100 * failed) / judged
  return failed > 0 && percent < 1 ? '<1 %' : `${Math.round(percent)} %`
}

/** How its newest runs that ended went, in a few words. */
export function judgedText({ failed, judged }: Pick<PlaybookResults, 'failed' | 'judged'>): string {
  if (judged === 1) return failed === 0 ? 'the last run did not fail' : 'the last run failed'
  return failed === 0
    ? `none of the last ${judged} runs failed`
    : `${failureText({ failed, judged })} of the last ${judged} runs failed`
}
