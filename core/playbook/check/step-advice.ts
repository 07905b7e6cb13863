import type { Program } from '../../expression/index.ts'
import type { Context } from '../scope/context.ts'
import type { Node } from '../yaml/document.ts'
import { headOf } from '../template/fields.ts'
import type { Step, Template, UsesStep } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import type { Span } from '../language/source-text.ts'

/** Whether nothing can come after this step, whatever happens. */
export const endsRun = (step: Step): boolean => step.if === undefined && endsRunIfRun(step)

/** Whether nothing can come after this step where its `if` holds. */
export function endsRunIfRun(step: Step): boolean {
  if (step.foreach !== undefined) return false
  switch (step.action) {
    case 'return':
    case 'fail':
      return true
    case 'steps':
    case 'parallel':
      return endsRunOnError(step) && step.steps.some(endsRun)
    case 'switch':
      return (
        endsRunOnError(step) &&
        step.else.some(endsRun) &&
        step.cases.every((each) => each.steps.some(endsRun))
      )
    case 'uses':
    case 'set':
    case 'checkpoint':
    case 'call':
    case 'wait':
      return false
  }
}

/** Whether nothing can come after this step when it fails. */
export const endsRunOnError = ({ onError }: Pick<Step, 'onError'>): boolean =>
  onError === 'fail' || (typeof onError === 'object' && onError.some(endsRun))

/** Neighbours that only read, and of which the second uses nothing of the first, could run at once. */
export function adviseParallel(
  context: Context,
  steps: readonly { readonly step: Step; readonly node: Node; readonly index: number }[],
): void {
  for (const [at, { step, node, index }] of steps.entries()) {
    const before = steps[at - 1]
    // What is wrong may be what says that one needs the other; and what cannot be read may stand between them.
    if (before?.index !== index - 1 || context.problems.hasErrorIn(node)) continue
    adviseFor(context, before.step, step, headOf(node))
  }
}

function adviseFor(context: Context, before: Step, step: Step, head: Span): void {
  if (!isPlainRead(context, before) || !isPlainRead(context, step)) return
  if (readsStep(step, before.id)) return
  const other = before.id === null ? before.skill : quote(before.id)
  const hint = 'put both under parallel: if their order does not matter'
  context.problems.add('I501', `this step could run at the same time as ${other}`, head, hint)
}

function isPlainRead({ catalogue }: Context, step: Step): step is UsesStep {
  if (step.action !== 'uses' || step.if !== undefined || step.repeat !== undefined) return false
  return catalogue?.skill(step.skill)?.skill.effect === 'read'
}

function readsStep(step: UsesStep, id: string | null): boolean {
  if (id === null) return false
  const templates = [step.with, step.default, step.foreach?.items].filter(
    (template) => template !== undefined,
  )
  return templates
    .flatMap(programsOf)
    .some(({ references }) => references.some(({ root, path }) => root === 'steps' && (path[0] ?? id) === id))
}

/** All expressions in a template. */
function programsOf(template: Template): readonly Program[] {
  switch (template.kind) {
    case 'literal':
      return []
    case 'expression':
      return [template.program]
    case 'text':
      return template.parts.filter((part) => typeof part !== 'string')
    case 'list':
      return template.items.flatMap(programsOf)
    case 'map':
      return template.entries.flatMap(([, value]) => programsOf(value))
  }
}

/** Steps that are there for their output, which nothing reads. To be asked at the end, when all expressions have been read. */
export function reportUnusedOutputs({ producers, readSteps, problems }: Context): void {
  // `steps` as a whole, or by an index that is computed: any step may be meant.
  if (readSteps.has('')) return
  for (const { id, span, what } of producers) {
    if (id !== null && readSteps.has(id)) continue
    const hint =
      id === null
        ? 'give the step an id and read it, or remove the step'
        : `read steps.${id}.output, or remove the step`
    problems.add('W403', `nothing reads ${what}`, span, hint)
  }
}
