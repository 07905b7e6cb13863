import type { Case } from '../../core/domain/case.ts'
import type { JournalEntry } from '../../core/domain/run.ts'
import type { WouldDo } from '../../core/dry-run/dry-run-caller.ts'
import { hide } from '../../core/domain/mask.ts'
import { maskedOutput } from '../../core/engine/skills/masked-run.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import { showDuration } from '../../core/playbook-test/run/judge.ts'
import { paint } from '../output/paint.ts'
import { printable, printableJson, printableLines } from '../output/printable.ts'

const words = {
  completed: 'ok',
  failed: 'failed',
  skipped: 'skipped',
  started: 'began',
  unknown: 'unknown',
} as const

/** Whether an entry is a step, and not what Tocsin read for one. */
export const isShown = ({ path, state }: JournalEntry): boolean =>
  state === 'failed' || !/\/@(?:state|people)$/.test(path)

/** An ended step on one line. */
export function stepLine({ path, kind, state, attempt, error, startedAt, endedAt }: JournalEntry): string {
  const word = words[state].padEnd(7)
  const painted =
    state === 'failed' ? paint.bad(word) : state === 'skipped' ? paint.dim(word) : paint.good(word)
  const took = (endedAt ?? startedAt) - startedAt
  const facts = [
    ...(attempt > 1 ? [`${attempt} attempts`] : []),
    ...(took >= 1 ? [showDuration(Math.round(took))] : []),
  ]
  const why = error === null ? '' : `  ${printable(`${error.code}: ${error.message}`, 300)}`
  const aside = facts.length === 0 ? '' : paint.dim(`  ${facts.join(', ')}`)
  return `  ${painted} ${printable(path)}  ${paint.dim(printable(kind))}${aside}${why}`
}

export function wouldDoLines(would: WouldDo): string {
  const { path, skill, connection, from, masks, undo } = would
  const input = hide(masks?.input, would.input)
  const output = hide(masks?.output, would.output)
  const via = connection === undefined ? '' : ` through connection ${printable(connection)}`
  const sources = {
    fixtures: 'from the fixtures',
    example: "from the skill's example",
    schema: 'generated from the schema',
    state: 'from the state',
  }
  const unless = undo?.unless === undefined ? '' : ` unless ${printable(undo.unless)}`
  return [
    `  ${paint.warn('would do')} ${printable(path)}  ${paint.strong(skill)}${via}`,
    indent(json(input)),
    ...(undo === undefined ? [] : [indent(`undone after ${showDuration(undo.afterMs)}${unless}`)]),
    paint.dim(indent(`assumed output ${sources[from]}: ${json(output)}`)),
  ].join('\n')
}

/** The end of a run: status, output, and the case, without sensitive values. */
export function endLines(
  playbook: Playbook,
  outcome: RunOutcome,
  durationMs: number,
  own: Case | undefined,
  notes: readonly string[],
): string {
  const good = outcome.status === 'completed'
  const { error } = outcome
  const output = maskedOutput(playbook, outcome.output)
  const at = error?.details?.['path']
  const time = durationMs === 0 ? '' : paint.dim(` after ${showDuration(Math.round(durationMs))}`)
  return [
    '',
    `${good ? paint.good('ok') : paint.bad('not ok')} ${printable(playbook.name)} ${outcome.status}${time}`,
    ...(error === null
      ? []
      : [indent(`${error.code}: ${error.message}${typeof at === 'string' ? ` (step '${at}')` : ''}`)]),
    ...(error?.hint === undefined ? [] : [indent(`hint: ${error.hint}`)]),
    ...(output === null ? [] : [indent(`output ${json(output)}`)]),
    ...(own === undefined ? [] : caseLines(own, notes)),
  ].join('\n')
}

function caseLines(own: Case, notes: readonly string[]): string[] {
  const { severity, verdict, status, summary } = own
  return [
    indent(`case: severity ${severity}, verdict ${verdict}, ${status}`),
    ...(summary === '' ? [] : [indent(summary)]),
    ...notes.map((note) => indent(`note: ${note}`)),
  ]
}

const indent = (text: string): string =>
  printableLines(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')

const json = (value: unknown): string => printableJson(value)
