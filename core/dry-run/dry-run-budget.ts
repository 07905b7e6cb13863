import type { JournalEntry } from '../domain/run.ts'
import { stringifyJson } from '../common/json.ts'
import { TocsinError } from '../plugin/index.ts'
import type { WouldDo } from './dry-run-caller.ts'

/**
 * Steps that may end, over all items, repetitions and paths: each is kept in memory, and any playbook author
 * can start a dry run.
 */
const maxSteps = 20_000
/** Size of all inputs, outputs and errors, in characters of JSON. */
const maxJson = 8 * 1024 * 1024

/** The total size of all paths of a dry run, or of all tests of a playbook. */
export interface DryRunBudget {
  ended(entry: JournalEntry): void
  wouldDo(would: WouldDo): void
  /** Aborted, with TocsinError `dry_run_too_large`, when it is used up. */
  readonly signal: AbortSignal
}

const hints = {
  'the dry run':
    'use shorter lists, smaller contents, or `answers` to checkpoints, so that fewer paths are tried',
  'the tests': 'use shorter lists or smaller contents, or run the tests with `tocsin test`',
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
