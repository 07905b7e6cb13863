/** Dry runs: what a playbook would do, without doing it. */
export { choiceOf, choicesOf } from './choices.ts'
export { createDryRunBudget } from './dry-run-budget.ts'
export { dryRun } from './dry-run.ts'
export type { DryRunOptions } from './dry-run.ts'
export type { WouldDo } from './dry-run-caller.ts'
export { eventsOf, exploreDryRun } from './explore.ts'
export type { DryRunEvent, DryRunTree } from './explore.ts'
