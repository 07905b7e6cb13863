import type { SourceProblem } from '../../core/errors/source-frame.ts'
import { percentOf, type Tested } from './run-files.ts'

export function jsonReport(tested: Tested): unknown {
  const { files, coverage, ok } = tested
  return {
    ok,
    files: files.map(({ file, playbookPath, problems, result }) => ({
      file,
      playbook: playbookPath ?? null,
      problems: [...problems, ...(result?.failures ?? [])],
      tests: (result?.tests ?? []).map((test) => ({
        name: test.name,
        ok: test.failures.length === 0,
        line: test.place.line,
        column: test.place.column,
        status: test.status,
        path: test.trace,
        duration_ms: test.durationMs,
        took_ms: Math.round(test.tookMs),
        crashes: test.crashes,
        failures: test.failures,
      })),
    })),
    coverage: {
      percent: percentOf(coverage),
      playbooks: coverage.map(({ path, taken, total, missing }) => ({
        playbook: path,
        taken,
        total,
        missing: missing.map(({ key, label, place }) => ({ branch: key, label, ...place })),
      })),
    },
  }
}

/** JUnit XML for CI systems: a suite for each file, a case for each test. */
export function junitReport({ files }: Tested): string {
  const suites = files.map(({ file, problems, result }) => {
    const broken = [...(result ? result.failures : problems.filter(({ severity }) => severity === 'error'))]
    const cases = [
      ...(broken.length === 0 ? [] : [testCase(file, 'the file', 0, broken)]),
      ...(result?.tests ?? []).map((test) =>
        testCase(file, test.name, test.tookMs, test.failures, test.trace),
      ),
    ]
    const failed = (result?.tests ?? []).filter((test) => test.failures.length > 0).length
    const failures = failed + (broken.length === 0 ? 0 : 1)
    const time = seconds((result?.tests ?? []).reduce((sum, test) => sum + test.tookMs, 0))
    return [
      `  <testsuite name="${xml(file)}" tests="${cases.length}" failures="${failures}" time="${time}">`,
      ...cases,
      '  </testsuite>',
    ].join('\n')
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

function testCase(
  file: string,
  name: string,
  tookMs: number,
  failures: readonly SourceProblem[],
  trace?: string,
): string {
  const head = `    <testcase classname="${xml(file)}" name="${xml(name)}" time="${seconds(tookMs)}"`
  const [first] = failures
  if (first === undefined) return `${head}/>`
  const lines = failures.map(
    ({ line, column, code, message }) => `${file}:${line}:${column} ${code} ${message}`,
  )
  const text = [...lines, ...(trace === undefined ? [] : [`what ran: ${trace}`])].join('\n')
  return `${head}>\n      <failure message="${xml(`${first.code}: ${first.message}`)}">${xml(text)}</failure>\n    </testcase>`
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
}

/** Text for XML 1.0, which does not allow most control characters. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"\n]/g, (character) => entities[character] ?? character)
}
