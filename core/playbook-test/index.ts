/**
 * Tests of playbooks: files of mocks and expectations, read with every problem at its place, run by the real engine in memory on
 * a virtual clock.
 */
export { branchesOf, coverageOf } from './coverage.ts'
export type { Coverage } from './coverage.ts'
export type { Choice } from './checkpoint-answers.ts'
export { showDuration } from './judge.ts'
export { loadTests } from './load-tests.ts'
export type { LoadedTests } from './load-tests.ts'
export { parseTests, parseWorld } from './parse.ts'
export { recordTests } from './record/record.ts'
export { recordPassingTests } from './record/verify.ts'
export { runTests } from './run-tests.ts'
export type { FileResult, TestResult } from './run-tests.ts'
export type { CalledByName, Fixtures, Mocks } from './playbook-test.ts'
export type { GivenAlert } from './read-fixtures.ts'
export { rehearse, startsFor } from './rehearse.ts'
export { createWorld, noConnections, resultOf, startProcess } from './run-test.ts'
export { createMemoryCheckpoints } from './memory-checkpoints.ts'
export { createMemoryJournal } from './memory-journal.ts'
export { namedSteps, stepFinder } from './named-steps.ts'
export type { NamedStep } from './named-steps.ts'
