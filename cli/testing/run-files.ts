import { readFile } from 'node:fs/promises'
import { coverageOf, type Coverage } from '../../core/playbook-test/coverage/coverage.ts'
import { loadTests, type LoadedTests } from '../../core/playbook-test/read/load-tests.ts'
import { runTests, type FileResult } from '../../core/playbook-test/run/run-tests.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { FoundFiles } from './find-test-files.ts'

/** A test file and its result; without a result if it could not be read. */
export interface TestedFile extends LoadedTests {
  readonly result: FileResult | undefined
}

export interface PlaybookCoverage extends Coverage {
  readonly path: string
}

export interface Tested {
  readonly files: readonly TestedFile[]
  /** By playbook, including those without tests. */
  readonly coverage: readonly PlaybookCoverage[]
  /** Whether every file was readable and passed, regardless of coverage. */
  readonly ok: boolean
}

export interface RunFilesOptions {
  readonly catalogue: Catalogue
  readonly crash: boolean
  /** Called for each file as soon as its tests have run. */
  readonly onFile?: (file: TestedFile) => void
}

export async function runFiles(found: FoundFiles, options: RunFilesOptions): Promise<Tested> {
  const files: TestedFile[] = []
  for (const path of found.tests) {
    const loaded = await loadTests(path, options.catalogue)
    const result = loaded.tests && (await runTests(loaded.tests, options))
    const file = { ...loaded, result }
    files.push(file)
    options.onFile?.(file)
  }
  const ok = files.every(({ result }) => result !== undefined && failuresOf(result) === 0)
  return { files, coverage: await coverage(files, found.playbooks, options.catalogue), ok }
}

/** Failed tests, and failures of the file as a whole. */
export function failuresOf({ tests, failures }: FileResult): number {
  return tests.filter((test) => test.failures.length > 0).length + failures.length
}

interface Covered {
  readonly playbook: Playbook
  readonly taken: Set<string>
  readonly unreachable: Set<string>
}

async function coverage(
  files: readonly TestedFile[],
  playbooks: readonly string[],
  catalogue: Catalogue,
): Promise<readonly PlaybookCoverage[]> {
  const covered = new Map<string, Covered>()
  const add = (path: string, playbook: Playbook): Covered => {
    const entry = covered.get(path) ?? { playbook, taken: new Set(), unreachable: new Set() }
    covered.set(path, entry)
    return entry
  }
  for (const { tests, result, playbookPath } of files) {
    if (tests === undefined || result === undefined || playbookPath === undefined) continue
    const entry = add(playbookPath, tests.playbook)
    for (const key of result.taken) entry.taken.add(key)
    for (const { value } of tests.unreachable) entry.unreachable.add(value)
  }
  for (const path of playbooks.filter((each) => !covered.has(each))) {
    const { playbook } = parsePlaybook(await readFile(path), { file: path, catalogue })
    if (playbook) add(path, playbook)
  }
  const called = files.flatMap(({ result }) => result?.takenInCalled ?? [])
  for (const { playbook, taken } of covered.values()) {
    for (const each of called) if (each.hash === playbook.hash) for (const key of each.taken) taken.add(key)
  }
  return Array.from(covered, ([path, { playbook, taken, unreachable }]) => ({
    path,
    ...coverageOf(playbook, taken, unreachable),
  })).toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Percentage of all branches; 100 if there are none. */
export function percentOf(coverage: readonly Coverage[]): number {
  const total = coverage.reduce((sum, each) => sum + each.total, 0)
  const taken = coverage.reduce((sum, each) => sum + each.taken, 0)
  return total === 0 ? 100 : (taken / total) * 100
}
