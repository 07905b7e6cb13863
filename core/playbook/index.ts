/**
 * Playbooks: YAML to a checked tree. `parsePlaybook` is the way in; nothing else of the project reads YAML. The types of the
 * tree are in `playbook.ts`.
 */
export { findPlaybookFiles } from './find-files.ts'
export { findRivals } from './find-rivals.ts'
export type { Rivalry } from './find-rivals.ts'
export { formatPlaybook } from './format.ts'
export { callablePlaybooks, checkedPlaybooks } from './callable-playbooks.ts'
export type { PlaybookSources } from './callable-playbooks.ts'
export { parseTogether } from './parse-together.ts'
export { parsePlaybook } from './parse.ts'
export { parseWithCalled } from './parse-with-called.ts'
export type { KnownNames } from './context.ts'
export type { ParseOptions } from './parse.ts'
export type { Playbook, Step } from './playbook.ts'
export { problemCatalogue } from './problem-catalogue.ts'
export type { ProblemCode } from './problem-catalogue.ts'
export type { Problem } from './problem.ts'
export { toStepGraph } from './step-graph.ts'
export { evaluateTemplate } from './template.ts'
