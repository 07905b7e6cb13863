/** Dry runs: what a playbook would do, without doing it. */
export { dryRun } from './dry-run.ts'
export type { DryRunOptions } from './dry-run.ts'
export type { WouldDo } from './dry-run-caller.ts'
export { entriesOf, exploreDryRun } from './explore.ts'
export type { DryRunTree } from './explore.ts'
