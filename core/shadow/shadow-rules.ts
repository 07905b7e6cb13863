import type { JudgedShadow } from './shadow-result.ts'
import { isForProvider, isForType } from '../investigation/choose-playbook.ts'
import { isFor } from '../playbook/check/owner.ts'
import type { AlertTrigger, Playbook } from '../playbook/language/playbook.ts'

/** A shadow and the alerts on which it is judged. */
export interface WatchedShadow {
  readonly name: string
  /** Code of the organization that it belongs to. Default: a shared one. */
  readonly organization?: string | undefined
  /** The live playbook whose alerts count; undefined: those that match the trigger. */
  readonly beside: string | undefined
  readonly trigger: AlertTrigger
}

export const watchedShadow = ({
  name,
  organization,
  shadow,
  alertTrigger,
}: Playbook): readonly WatchedShadow[] =>
  shadow === undefined || alertTrigger === undefined
    ? []
    : [{ name, organization, beside: shadow.beside, trigger: alertTrigger }]

/** A run of an alert that has ended. */
export interface EndedRun {
  readonly playbookName: string
  readonly alert: { readonly type: string | null; readonly provider: string }
  /** Code of its organization. */
  readonly organization: string
}

/** The shadows to judge on the alert. The condition of a trigger is evaluated later. */
export const shadowsFor = (
  shadows: readonly WatchedShadow[],
  { playbookName, alert, organization }: EndedRun,
): readonly string[] =>
  shadows
    .filter((shadow) => isFor(shadow, organization))
    .filter(({ beside, trigger }) =>
      beside === undefined
        ? isForType(trigger, alert.type) && isForProvider({ alertTrigger: trigger }, alert)
        : beside === playbookName,
    )
    .map(({ name }) => name)

/** Most alerts of an organization that wait for one shadow. */
export const maxWaitingShadows = 1_000

/** What is stored for an alert that joins this number of waiting ones; undefined: it waits. */
export const withoutRoom = (waiting: number): Pick<JudgedShadow, 'outcome' | 'summary'> | undefined =>
  waiting < maxWaitingShadows
    ? undefined
    : {
        outcome: 'unjudged',
        summary: {
          live: null,
          shadow: null,
          actions: [],
          changes: [],
          reason: { code: 'backlog_full', message: `${maxWaitingShadows} earlier alerts were waiting` },
        },
      }
