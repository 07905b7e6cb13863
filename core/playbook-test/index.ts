/**
 * Tests of playbooks: files of mocks and expectations, read with every problem at its place, run by the real engine in memory on
 * a virtual clock.
 */
export { branchesOf, coverageOf } from './coverage/coverage.ts'
export type { Coverage } from './coverage/coverage.ts'
export type { Choice } from './run/checkpoint-answers.ts'
export { showDuration } from './run/judge.ts'
export { loadTests } from './read/load-tests.ts'
export type { LoadedTests } from './read/load-tests.ts'
export { parseTests, parseWorld } from './read/parse.ts'
export { recordTests } from './record/record.ts'
export { recordPassingTests } from './record/verify.ts'
export { runTests } from './run/run-tests.ts'
export type { FileResult, TestResult } from './run/run-tests.ts'
export type { CalledByName, Fixtures, Mocks } from './read/playbook-test.ts'
export type { GivenAlert } from './read/read-fixtures.ts'
export { rehearse, startsFor } from './run/rehearse.ts'
export { createWorld, noConnections, resultOf, startProcess } from './run/run-test.ts'
export { createMemoryCheckpoints } from './run/memory-checkpoints.ts'
export { createMemoryJournal } from './run/memory-journal.ts'
export { namedSteps, stepFinder } from './read/named-steps.ts'
export type { NamedStep } from './read/named-steps.ts'
