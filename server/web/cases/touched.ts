import { showInvisible } from '../parts/json/show-invisible.ts'

/** What somebody typed in a field, and what stood there when they began. */
export interface Touched {
  readonly from: string | null
  readonly value: string
}

/** A field after a keystroke: it remembers what stood there before the first one. */
export const touch = (before: Touched | undefined, now: string | null, value: string): Touched => ({
  from: before === undefined ? now : before.from,
  value,
})

/**
 * A field after this was saved in it: untouched where that is what stands there, else what was typed since goes on from there.
 *
 * @param saved undefined: something else was saved
 */
export function afterSaving(
  typed: Touched | undefined,
  saved: string | null | undefined,
): Touched | undefined {
  if (typed === undefined || saved === undefined) return typed
  return typed.value.trim() === (saved ?? '') ? undefined : { from: saved, value: typed.value }
}

/** What was typed, for people; empty where it is as it was. */
export const touchedText = (touched: Touched | undefined): string =>
  touched === undefined || touched.value === (touched.from ?? '') ? '' : touched.value || '(empty)'

/** Says what somebody else put in the field since it was touched; undefined: nothing else. */
export function meanwhileText(touched: Touched | undefined, now: string | null): string | undefined {
  if (touched === undefined || touched.from === now || touched.value === (now ?? '')) return undefined
  return `Someone else changed this to ${wordsOf(now)}`
}

/** A value of a case, cut where it is long. */
export function wordsOf(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '') return 'empty'
  const text = value.replaceAll('_', ' ')
  return `“${showInvisible(text.length > 200 ? `${text.slice(0, 200)} …` : text)}”`
}
