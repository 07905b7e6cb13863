/** Playbooks: YAML to a checked tree. `parsePlaybook` is the way in; nothing else of the project reads YAML. */
export type { KnownConnection } from './context.ts'
export { parsePlaybook } from './parse.ts'
export type { ParsedPlaybook, ParseOptions } from './parse.ts'
export type {
  AlertTrigger,
  FailStep,
  Foreach,
  GroupStep,
  ParallelStep,
  Place,
  Playbook,
  RetryPolicy,
  ReturnStep,
  SetStep,
  Step,
  SwitchStep,
  Template,
  UsesStep,
  WaitStep,
} from './playbook.ts'
export { problemCatalogue } from './problem-catalogue.ts'
export type { CatalogueEntry, ProblemCode } from './problem-catalogue.ts'
export type { Problem } from './problem.ts'
export { toStepGraph } from './step-graph.ts'
export type { GraphEdge, GraphNode, StepGraph } from './step-graph.ts'
export { evaluateTemplate } from './template.ts'
