import type { Catalogue } from '../../core/registry/catalogue.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { RetryableError } from '../../core/plugin/index.ts'
import { createWorld, resultOf, startProcess } from '../../core/playbook-test/run/run-test.ts'
import { startsFor } from '../../core/playbook-test/run/rehearse.ts'
import type { PlaybookTests } from '../../core/playbook-test/read/playbook-test.ts'
import { recordingJournal, type GoldenFile, type GoldenRun } from './golden-run.ts'

/** Runs all tests of a playbook and records their journal writes. */
export async function recordGolden(tests: PlaybookTests, catalogue: Catalogue): Promise<GoldenFile> {
  const { playbook, called } = tests
  const runs: GoldenRun[] = []
  for (const { name, fixtures, mocks } of tests.tests) {
    if (startsFor(playbook, fixtures) !== true) continue
    const world = createWorld({ playbook, called, fixtures, mocks }, catalogue)
    const { store, writes } = recordingJournal(world.journal.store)
    const retryAfterMs: Record<string, number> = {}
    const call = notingRetryAfter(world.skills.call, retryAfterMs)
    const outcome = await startProcess({ ...world, skills: { ...world.skills, call } }, store)
    runs.push({
      name,
      fixtures,
      caseId: resultOf(world, outcome).case?.id ?? '',
      mockedCalls: [...mocks.keys()].filter((key) => key.startsWith('steps.')),
      retryAfterMs,
      outcome,
      writes,
    })
  }
  const others = Array.from(called.values(), (each) => [each.name, each.source] as const)
  return { sources: { [playbook.name]: playbook.source, ...Object.fromEntries(others) }, runs }
}

function notingRetryAfter(call: SkillCaller, asked: Record<string, number>): SkillCaller {
  return async (given) => {
    try {
      return await call(given)
    } catch (error) {
      const { idempotencyKey, number } = given.attempt
      if (error instanceof RetryableError && error.retryAfterMs !== undefined)
        asked[`${idempotencyKey}#${number}`] = error.retryAfterMs
      throw error
    }
  }
}
