import type { JournalEntry } from '../domain/run.ts'
import { stringifyJson } from '../common/json.ts'
import { TocsinError } from '../plugin/index.ts'
import type { WouldDo } from './dry-run-caller.ts'

/** Steps that may end, items, times and all ways together: each is kept, and made by whoever may write a playbook to try it. */
const maxSteps = 20_000
/** Of what they are given, give and fail with, in characters of JSON. */
const maxJson = 8 * 1024 * 1024

/** What all ways of a dry run, or all tests of a playbook, may come to. */
export interface DryRunBudget {
  ended(entry: JournalEntry): void
  wouldDo(would: WouldDo): void
  /** Aborted, with TocsinError `dry_run_too_large`, when it is used up. */
  readonly signal: AbortSignal
}

const hints = {
  'the dry run':
    'give shorter lists, smaller contents, or `answers` to checkpoints, so that fewer ways are tried',
  'the tests': 'give them shorter lists or smaller contents, or run them with `tocsin test`',
}

export function createDryRunBudget(tried: keyof typeof hints = 'the dry run'): DryRunBudget {
  const usedUp = new AbortController()
  const tooLarge = (what: string): TocsinError =>
    new TocsinError('dry_run_too_large', `${tried} needed more than ${what}`, { hint: hints[tried] })
  let steps = 0
  let json = 0
  const spend = (value: unknown) => {
    if (usedUp.signal.aborted) return
    json += stringifyJson(value).length
    if (json > maxJson) usedUp.abort(tooLarge(`${maxJson} characters of JSON`))
  }
  return {
    ended({ input = null, output = null, error }) {
      if (++steps > maxSteps) usedUp.abort(tooLarge(`${maxSteps} steps`))
      spend([input, output, error])
    },
    wouldDo: ({ input, output }) => spend([input ?? null, output ?? null]),
    signal: usedUp.signal,
  }
}
