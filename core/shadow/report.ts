import type { Playbook } from '../playbook/language/playbook.ts'
import type { DecidedCase, ShadowCase, ShadowResult } from './shadow-result.ts'

/** Most alerts of one report; the newest count. */
export const maxReportAlerts = 5_000

export interface ReportSource {
  readonly shadow: Playbook
  /** Newest first. */
  readonly results: readonly ShadowResult[]
  /** Number of alerts that wait, of any time. */
  readonly waiting: number
}

/** How the decisions of a shadow agree with those of the live runs and of the analysts, as JSON. */
export type ShadowReport = ReturnType<typeof shadowReport>

export function shadowReport({ shadow, results, waiting }: ReportSource) {
  const ended = results.filter(({ judgedAt }) => judgedAt !== null)
  // A result of an earlier version says nothing about this one. No version has judged an alert for which there was no room.
  const own = ended.filter(({ playbookHash }) => playbookHash === null || playbookHash === shadow.hash)
  const judged = own.flatMap((result) => judgedIn(result))
  const count = (outcome: ShadowResult['outcome']) => own.filter((each) => each.outcome === outcome).length
  return {
    alerts: own.length,
    agrees: count('agrees'),
    differs: count('differs'),
    unjudged: count('unjudged'),
    waiting,
    other_versions: ended.length - own.length,
    truncated: results.length >= maxReportAlerts,
    agreement: {
      shadow_live: agreement(judged, 'shadow', 'live'),
      shadow_analysts: agreement(judged, 'shadow', 'analysts'),
      live_analysts: agreement(judged, 'live', 'analysts'),
    },
    verdicts: {
      live: matrix(judged, 'live'),
      analysts: matrix(judged, 'analysts'),
    },
    actions: actionsOf(own),
    changes: countedBy(own.flatMap(({ summary }) => summary?.changes ?? []).map(({ kind }) => kind)).map(
      ([kind, alerts]) => ({ kind, alerts }),
    ),
    reasons: reasonsOf(own),
  }
}

/** The verdicts about an alert: of the live run, of the shadow, and of the analysts; undefined: they have not decided. */
interface Judged {
  readonly live: string
  readonly shadow: string
  readonly analysts: string | undefined
}

function judgedIn({ summary, case: ofAlert }: ShadowResult): readonly Judged[] {
  const { live, shadow } = summary ?? {}
  if (!live || !shadow) return []
  const analysts = ofAlert && decisionOfAnalysts(ofAlert)?.verdict
  return [{ live: verdictOf(live), shadow: verdictOf(shadow), analysts: analysts ?? undefined }]
}

/** A run that sets no verdict leaves the one of a new case. */
const verdictOf = ({ verdict }: DecidedCase): string => verdict ?? 'unknown'

/**
 * What the analysts decided about a case: the values that a person set or, in a case that a person closed, left as they were.
 * Undefined: nobody decided.
 */
export function decisionOfAnalysts(ofAlert: ShadowCase): Omit<DecidedCase, 'status'> | undefined {
  const { verdict, severity, decided, closedByPerson } = ofAlert
  const has = (field: string): boolean => closedByPerson || decided.includes(field)
  if (!has('verdict') && !has('severity')) return undefined
  return { verdict: has('verdict') ? verdict : null, severity: has('severity') ? severity : null }
}

/** Of the alerts about which both decided: how many got the same verdict. */
function agreement(judged: readonly Judged[], one: keyof Judged, other: keyof Judged) {
  const both = judged.filter((each) => each[one] !== undefined && each[other] !== undefined)
  return { alerts: both.length, same: both.filter((each) => each[one] === each[other]).length }
}

/** Number of alerts by verdict of `side` and of the shadow. */
const matrix = (judged: readonly Judged[], side: 'live' | 'analysts') =>
  countedBy(judged.flatMap((each) => (each[side] === undefined ? [] : [`${each[side]} ${each.shadow}`]))).map(
    ([key, alerts]) => {
      const [verdict = '', shadow = ''] = key.split(' ')
      return { verdict, shadow, alerts }
    },
  )

function actionsOf(results: readonly ShadowResult[]) {
  const actions = results.flatMap(({ summary }) => summary?.actions ?? [])
  return Array.from(
    Map.groupBy(actions, ({ skill }) => skill),
    ([skill, all]) => {
      const by = (wanted: string) =>
        all.reduce((sum, { by: side, calls }) => sum + (side === wanted ? calls : 0), 0)
      return { skill, both: by('both'), only_live: by('live'), only_shadow: by('shadow') }
    },
  ).toSorted((a, b) => b.only_live + b.only_shadow - a.only_live - a.only_shadow || compare(a.skill, b.skill))
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Why alerts could not be judged, with an example of the message. */
const reasonsOf = (results: readonly ShadowResult[]) => {
  const reasons = results.flatMap(({ summary }) => summary?.reason ?? [])
  return Array.from(
    Map.groupBy(reasons, ({ code }) => code),
    ([code, all]) => ({
      code,
      message: all[0]!.message,
      alerts: all.length,
    }),
  ).toSorted((a, b) => b.alerts - a.alerts)
}

/** The most frequent first. */
const countedBy = (keys: readonly string[]): readonly (readonly [key: string, count: number])[] =>
  Array.from(
    Map.groupBy(keys, (key) => key),
    ([key, all]) => [key, all.length] as const,
  ).toSorted((a, b) => b[1] - a[1])
