import { formatProblem } from '../../core/errors/source-frame.ts'
import { showDuration } from '../../core/playbook-test/run/judge.ts'
import type { TestResult } from '../../core/playbook-test/run/run-tests.ts'
import { paint } from '../output/paint.ts'
import { printable } from '../output/printable.ts'
import { failuresOf, percentOf, type Tested, type TestedFile } from './run-files.ts'

/** A file with its tests, one line each, followed by failures with their positions. */
export function fileReport({ file, source, problems, result }: TestedFile): string {
  const text = new TextDecoder().decode(source)
  const frames = [...problems, ...(result?.failures ?? [])].map((problem) => formatProblem(problem, text))
  const tests = result?.tests.map((test) => testReport(test, text)) ?? []
  return [paint.strong(printable(file)), ...frames.map((frame) => `\n${frame}\n`), ...tests].join('\n')
}

function testReport(test: TestResult, text: string): string {
  const name = printable(test.name)
  const time = test.durationMs === 0 ? '' : paint.dim(`  ${showDuration(test.durationMs)} passed`)
  const crashes = test.crashes === 0 ? '' : paint.dim(`  ${test.crashes} crashes`)
  if (test.failures.length === 0) return `  ${paint.good('ok')} ${name}${time}${crashes}`
  const frames = test.failures.map((failure) => `\n${formatProblem(failure, text)}`)
  return [
    `  ${paint.bad('not ok')} ${name}${time}`,
    ...frames,
    `  what ran: ${printable(test.trace, 2_000)}\n`,
  ].join('\n')
}

export function summary({ files, ok }: Tested): string {
  const tests = files.flatMap(({ result }) => result?.tests ?? [])
  const failed = files.reduce((sum, { result }) => sum + (result ? failuresOf(result) : 0), 0)
  const unread = files.filter(({ result }) => result === undefined).length
  const ran = `${count(tests.length, 'test')} in ${count(files.length, 'file')}`
  if (ok) return `${paint.good('ok')} ${ran}`
  const what = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unread > 0 ? [`${withMistakes(unread)}; their tests did not run`] : []),
  ]
  return `${paint.bad('not ok')} ${ran}: ${what.join(', ')}`
}

/**
 * Coverage: branches that no test takes, and the percentage. If no test could run, only the errors.
 */
export function coverageReport({ coverage, files }: Tested, min: number | undefined): string {
  const unread = files.filter(({ result }) => result === undefined).length
  const shown = files.length > 0 && unread === files.length ? [] : coverage
  const lines = shown.flatMap(({ path, missing }) =>
    missing.map(({ label, key, place }) => {
      const at = `${printable(path)}:${place.line}:${place.column}`
      return `  ${at}  ${printable(label)}  ${paint.dim(`[${printable(key)}]`)}`
    }),
  )
  const taken = coverage.reduce((sum, each) => sum + each.taken, 0)
  const total = coverage.reduce((sum, each) => sum + each.total, 0)
  const percent = Math.floor(percentOf(coverage) * 10) / 10
  const isMet = min === undefined ? lines.length === 0 : percentOf(coverage) >= min
  const isEnough = isMet && unread === 0
  const asked = min === undefined || isMet ? '' : `, but ${min} % are required`
  const without = unread === 0 ? '' : `, without the tests of ${withMistakes(unread)}`
  const share =
    total === 0 ? 'there are no branches to cover' : `${percent} % of branches covered: ${taken} of ${total}`
  const sentence = `${share}${asked}${without}`
  const head = lines.length === 0 ? [] : ['', 'Never taken:', ...lines]
  return [...head, `${isEnough ? paint.good('ok') : paint.bad('not ok')} ${sentence}`].join('\n')
}

const withMistakes = (files: number): string => `${count(files, 'file')} with mistakes`
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
