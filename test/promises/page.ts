import type { Proof } from './promised.ts'
import { promises } from './promises.ts'

/** The result of a test in the last complete run of the suite. */
export interface Result {
  /** Number of passed tests whose title begins with this title. */
  readonly passed: number
  readonly failed: number
  readonly pending: number
  /** The later run of some tests that it is from. Default: the complete run. */
  readonly run?: LaterRun
}

/** A run that `--only` restricted to some tests. */
export interface LaterRun {
  /** YYYY-MM-DD. */
  readonly date: string
  readonly seed: number
  readonly times: number
}

export interface LastRun {
  /** YYYY-MM-DD. */
  readonly date: string
  /** Reproduces the run. */
  readonly seed: number
  /** Repetitions of each loop, relative to the short form. */
  readonly times: number
  /** Description of the machine. */
  readonly machine: string
  /** By {@link keyOf}. */
  readonly results: Readonly<Record<string, Result>>
  /** Planted bugs, and whether their tests failed as expected. */
  readonly planted: Readonly<Record<string, 'noticed' | 'missed'>>
}

export const keyOf = ({ file, title }: Proof): string => `${file}: ${title}`

/** docs/promises.md. */
export function promisesPage(last: LastRun): string {
  const sections = promises.map(({ title, exactly, proofs }, index) =>
    [`## ${index + 1}. ${title}`, exactly.trim(), table(proofs, last)].join('\n\n'),
  )
  return `${introduction(last)}\n\n${sections.join('\n\n')}\n`
}

const introduction = ({ date, seed, times, machine, planted }: LastRun): string => `# What Tocsin promises

For operators and reviewers who need to know what survives crashes, failing disks and sick peers, and how this is tested.

Each promise has tests that try to break it with real kills, signals, failing disks and sick peers. We also planted bugs to see these tests fail.
\`npm test\` runs a short form; \`npm run test:crash -- --times 20 --seed 7\` runs longer, with the planted bugs at the end. Both print the
seed, which reproduces the run. Power failures and failing disks need \`strace\` (Linux); without it those tests are pending.

Last complete run: ${date}, seed ${seed}, loops ${times} times as long as in \`npm test\`, ${machine}${Object.keys(planted).length === 0 ? ', without the planted bugs' : ''}. This page is generated from \`test/promises/promises.ts\`.

The promises are stated for SQLite, and most tests below run on it. With [several servers on PostgreSQL](operations.md#several-servers-on-postgresql), the same code runs over another
store; a paragraph that begins with "On PostgreSQL" says what differs, and the last promise is about the nodes together.`

function table(proofs: readonly Proof[], last: LastRun): string {
  const rows = proofs.map((proof) => {
    const red = (proof.planted ?? []).map(
      (bug) => `${bug}${last.planted[bug] === 'missed' ? ' (missed!)' : ''}`,
    )
    const test = `[${proof.title}…](../test/${proof.file})`
    return `| ${test} | ${red.join('; ')} | ${outcome(last.results[keyOf(proof)])} |`
  })
  return ['| test | fails if | last result |', '| --- | --- | --- |', ...rows].join('\n')
}

function outcome(result: Result | undefined): string {
  if (result === undefined) return 'not run'
  const { run, ...counts } = result
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  const later = run === undefined ? '' : ` (${run.date}, seed ${run.seed}, loops ${run.times} times as long)`
  return `${parts.map(([word, count]) => `${count} ${word}`).join(', ')}${later}`
}
