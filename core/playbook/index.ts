/**
 * Playbooks: YAML to a checked tree. `parsePlaybook` is the way in; nothing else of the project reads YAML. The types of the
 * tree are in `playbook.ts`.
 */
export { findPlaybookFiles } from './read/find-files.ts'
export { findRivals } from './check/find-rivals.ts'
export type { Rivalry } from './check/find-rivals.ts'
export { formatPlaybook } from './yaml/format.ts'
export { callablePlaybooks, checkedPlaybooks } from './scope/callable-playbooks.ts'
export type { PlaybookSources } from './scope/callable-playbooks.ts'
export { parseTogether } from './read/parse-together.ts'
export { parsePlaybook } from './read/parse.ts'
export { parseWithCalled } from './read/parse-with-called.ts'
export type { KnownNames } from './scope/context.ts'
export type { ParseOptions } from './read/parse.ts'
export type { Playbook, Step } from './language/playbook.ts'
export { problemCatalogue } from './language/problem-catalogue.ts'
export type { ProblemCode } from './language/problem-catalogue.ts'
export type { Problem } from './language/problem.ts'
export { toStepGraph } from './language/step-graph.ts'
export { evaluateTemplate } from './template/template.ts'
