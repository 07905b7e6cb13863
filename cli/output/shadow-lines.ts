import type { ShadowReport } from '../../core/shadow/report.ts'
import { paint } from './paint.ts'
import { printable } from './printable.ts'
import { table } from './table.ts'

/** The answer of `GET playbooks/{playbook}/shadow`. */
export interface ShadowView extends ShadowReport {
  readonly playbook: string
  readonly beside: string | null
}

/** A row of `GET playbooks/{playbook}/shadow/alerts`. */
export interface ShadowAlert {
  readonly alert_id: string
  readonly changes: readonly { readonly text: string }[]
}

/** The report of a shadow, for a terminal. */
export function shadowLines(report: ShadowView, differing: readonly ShadowAlert[]): readonly string[] {
  const { playbook, beside, alerts, agrees, differs, unjudged, waiting, other_versions: others } = report
  const head = `${printable(playbook)} in shadow${beside === null ? '' : ` beside ${printable(beside)}`}`
  return [
    `${head}: ${counted(alerts, 'alert')}, ${agrees} agree, ${differs} ${differs === 1 ? 'differs' : 'differ'}, ${unjudged} not judged`,
    ...(waiting === 0 ? [] : [paint.dim(`${counted(waiting, 'alert')} waiting to be judged`)]),
    ...(others === 0
      ? []
      : [paint.dim(`${counted(others, 'alert')} judged with an earlier version: not counted`)]),
    ...(report.truncated ? [`${paint.warn('warning')}  only the newest alerts are counted`] : []),
    ...agreementLines(report),
    ...verdictLines(report),
    ...actionLines(report),
    ...differing.flatMap(({ alert_id: id, changes }) => [
      '',
      paint.strong(printable(id)),
      ...changes.map(({ text }) => `  ${printable(text, 300)}`),
    ]),
    ...(differing.length < differs
      ? ['', paint.dim(`${differs - differing.length} more differ: --json lists them`)]
      : []),
    ...(report.reasons.length === 0 ? [] : ['', 'not judged:']),
    ...report.reasons.map(
      ({ alerts: count, code, message }) => `  ${count} × ${printable(code)}: ${printable(message, 300)}`,
    ),
  ]
}

function agreementLines({ agreement }: ShadowView): readonly string[] {
  if (agreement.shadow_live.alerts === 0) return []
  const rows = [
    ['shadow and live', agreement.shadow_live],
    ['shadow and analysts', agreement.shadow_analysts],
    ['live and analysts', agreement.live_analysts],
  ] as const
  const cells = rows.map(([name, { same, alerts: both }]) => [name, `${same} of ${both}`])
  return ['', ...table(['same verdict', 'alerts'], cells).split('\n')]
}

function verdictLines({ verdicts }: ShadowView): readonly string[] {
  const rows = [
    ...verdicts.live.map((cell) => ['live', cell] as const),
    ...verdicts.analysts.map((cell) => ['analysts', cell] as const),
  ].filter(([, { verdict, shadow }]) => verdict !== shadow)
  if (rows.length === 0) return []
  const cells = rows.map(([by, { verdict, shadow, alerts }]) => [
    `${by}: ${printable(verdict)}`,
    printable(shadow),
    String(alerts),
  ])
  return ['', ...table(['other verdict', 'shadow', 'alerts'], cells).split('\n')]
}

function actionLines({ actions }: ShadowView): readonly string[] {
  if (actions.length === 0) return []
  const cells = actions.map(({ skill, both, only_live: live, only_shadow: shadow }) => [
    printable(skill),
    ...[both, live, shadow].map(String),
  ])
  return ['', ...table(['action', 'both', 'only live', 'only shadow'], cells).split('\n')]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
