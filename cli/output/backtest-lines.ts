import type { BacktestGroup, BacktestRow, BacktestView } from '../../core/backtest/backtest-view.ts'
import { paint } from './paint.ts'
import { printable } from './printable.ts'

const shownAlerts = 10

/** A backtest, for a terminal. */
export function backtestLines(backtest: BacktestView): readonly string[] {
  const {
    total,
    done,
    same,
    changed,
    unjudged,
    playbook,
    groups,
    reasons,
    status,
    backtest_id: id,
  } = backtest
  const rows = backtest.rows ?? []
  const others = rows.filter(({ other_version: other }) => other).length
  const assumed = rows.filter((row) => row.assumed.length > 0)
  return [
    ...(total === 0 ? [`no alert was investigated by ${printable(playbook)} in this time`] : []),
    ...(total === 0
      ? []
      : [`${counted(done, 'alert')}: ${same} same, ${changed} changed, ${unjudged} not judged`]),
    ...(others === 0
      ? []
      : [
          paint.dim(
            `${counted(others, 'alert')} recorded with another version: compared with a replay of the live one`,
          ),
        ]),
    ...groups.flatMap((group, at) =>
      groupLines(
        group,
        rows.filter((row) => row.group === at),
      ),
    ),
    ...(reasons.length === 0 ? [] : ['', 'not judged:']),
    ...reasons.map(
      ({ alerts, code, message }) => `  ${alerts} × ${printable(code)}: ${printable(message, 300)}`,
    ),
    ...(assumed.length === 0
      ? []
      : [
          '',
          `${paint.warn('warning')}  ${counted(assumed.length, 'alert')} with replies that were not recorded, such as ${printable(assumed[0]!.assumed[0]!, 300)}`,
        ]),
    ...(status === 'completed'
      ? []
      : [
          '',
          `${paint.warn('warning')}  ${status} after ${done} of ${total}; continue with tocsin backtest --resume ${printable(id)}`,
        ]),
  ]
}

function groupLines({ changes, alerts }: BacktestGroup, rows: readonly BacktestRow[]): readonly string[] {
  const names = rows.slice(0, shownAlerts).map(({ alert_id: id }) => printable(id))
  const more = alerts - names.length
  return [
    '',
    paint.strong(counted(alerts, 'alert')),
    ...changes.map(({ text }) => `  ${printable(text, 300)}`),
    paint.dim(`  ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`),
  ]
}

/** One line about a running backtest. */
export function progressText({ done, total, remaining_ms: left }: BacktestView): string {
  const estimate = left === null || left === 0 ? '' : `, about ${Math.ceil(left / 1_000)} s left`
  return `${done} of ${total} alerts${estimate}`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
