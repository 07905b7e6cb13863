import type { PreviewView } from '../../core/correlation/preview-view.ts'
import { paint } from './paint.ts'
import { printable } from './printable.ts'

const shownMerges = 10

/** A preview of correlation, for a terminal. */
export function previewLines(preview: PreviewView): readonly string[] {
  const { alerts, applicable, joined, cases_before, cases_after, merges, skipped, warnings, failures } =
    preview
  const left = merges.length - shownMerges
  return [
    `${counted(alerts, 'alert')}, a rule applies to ${applicable}`,
    `${counted(cases_before, 'case')} now, ${cases_after} with these rules: ${counted(joined, 'alert')} would join an earlier case`,
    ...merges.slice(0, shownMerges).flatMap(mergeLines),
    ...(left > 0 ? ['', paint.dim(`${left} more`)] : []),
    ...(skipped.length > 0 ? ['', 'too common to relate alerts:'] : []),
    ...skipped.map(({ text, count }) => `  ${count} × ${printable(text, 300)}`),
    ...(failures > 0
      ? ['', `${paint.warn('warning')}  ${counted(failures, 'expression')} could not be evaluated`]
      : []),
    ...warnings.map((text) => `${paint.warn('warning')}  ${printable(text, 300)}`),
    ...(preview.ended_at === null
      ? []
      : [
          `${paint.warn('warning')}  too many alerts: those from ${timeText(preview.ended_at)} on were left out`,
        ]),
  ]
}

function mergeLines(merge: PreviewView['merges'][number]): readonly string[] {
  const { alerts, cases_before, first_at, last_at, reasons, samples, is_full } = merge
  const notes = [
    ...(cases_before === 0 ? [] : [`${counted(cases_before, 'case')} now`]),
    ...(is_full ? ['at the maximum of the rule'] : []),
  ]
  const noted = notes.length === 0 ? '' : ` (${notes.join(', ')})`
  const shown = samples.map(({ alert_id, title }) =>
    `  ${printable(alert_id)}  ${printable(title ?? '')}`.trimEnd(),
  )
  return [
    '',
    `${counted(alerts, 'alert')} in one case${noted}, ${timeText(first_at)} to ${timeText(last_at)}`,
    ...reasons.map(({ text, count }) => `  ${count} × ${printable(text, 300)}`),
    ...shown,
    ...(alerts > samples.length ? [paint.dim(`  ${alerts - samples.length} more`)] : []),
  ]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
