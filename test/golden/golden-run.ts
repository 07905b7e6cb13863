import { readFileSync, writeFileSync } from 'node:fs'
import type { FailedAttempt } from '../../core/domain/run.ts'
import type { RunOutcome } from '../../core/engine/scope/flow.ts'
import { parseJson, stringifyJson } from '../../core/common/json.ts'
import type { Fixtures } from '../../core/playbook-test/read/playbook-test.ts'
import type { JournalBegin, JournalEnd, JournalStore } from '../../core/ports/runs/journal-store.ts'

/**
 * A finished run recorded by an earlier version: everything that a later version needs to resume it at any
 * point.
 */
export interface GoldenRun {
  /** Title of the recorded test. */
  readonly name: string
  readonly fixtures: Fixtures
  readonly caseId: string
  /** Steps that call a playbook and were mocked: `steps.<id>`. */
  readonly mockedCalls: readonly string[]
  /** Delays requested by other systems in errors, by idempotency key and attempt: `<key>#<attempt>`. */
  readonly retryAfterMs: Readonly<Record<string, number>>
  readonly outcome: RunOutcome
  /** Journal writes, in order. */
  readonly writes: readonly Write[]
}

export type Write =
  | { readonly write: 'begin'; readonly begin: JournalBegin }
  | { readonly write: 'end'; readonly path: string; readonly end: JournalEnd }
  | { readonly write: 'record'; readonly begin: JournalBegin; readonly end: JournalEnd }
  | { readonly write: 'attempt_failed'; readonly failed: FailedAttempt }

/** Runs of one playbook with its recorded source and those of the playbooks that it calls. */
export interface GoldenFile {
  /** Source by name; the playbook itself first. */
  readonly sources: Readonly<Record<string, string>>
  readonly runs: readonly GoldenRun[]
}

export function readGolden(file: string): GoldenFile {
  return parseJson(readFileSync(file, 'utf8'), { maxDepth: 200 }) as GoldenFile
}

/** One journal write per line, for readable diffs. */
export function writeGolden(file: string, { sources, runs }: GoldenFile): void {
  const shown = runs.map(({ writes, ...run }) => {
    const head = stringifyJson(run).slice(0, -1)
    return `${head},"writes":[\n${writes.map((write) => stringifyJson(write)).join(',\n')}\n]}`
  })
  writeFileSync(file, `{"sources":${stringifyJson(sources)},\n"runs":[\n${shown.join(',\n')}\n]}\n`)
}

/** Records the writes. */
export function recordingJournal(store: JournalStore) {
  const writes: Write[] = []
  const recording: JournalStore = {
    ...store,
    begin: (run, begin) => {
      writes.push({ write: 'begin', begin })
      return store.begin(run, begin)
    },
    end: (run, path, end) => {
      writes.push({ write: 'end', path, end })
      return store.end(run, path, end)
    },
    record: (run, begin, end) => {
      writes.push({ write: 'record', begin, end })
      return store.record(run, begin, end)
    },
    async recordState(run, begin, request) {
      const entry = await store.recordState(run, begin, request)
      const { state, output, error, attempt, endedAt } = entry
      writes.push({ write: 'record', begin, end: { state, output, error, attempt, endedAt } as JournalEnd })
      return entry
    },
    attemptFailed: (run, failed) => {
      writes.push({ write: 'attempt_failed', failed })
      return store.attemptFailed(run, failed)
    },
  }
  return { store: recording, writes }
}

export async function replayWrite(store: JournalStore, write: Write): Promise<void> {
  switch (write.write) {
    case 'begin':
      return void (await store.begin('', write.begin))
    case 'end':
      return await store.end('', write.path, write.end)
    case 'record':
      return await store.record('', write.begin, write.end)
    case 'attempt_failed':
      return await store.attemptFailed('', write.failed)
  }
}
