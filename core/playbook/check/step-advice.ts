import type { Program } from '../../expression/index.ts'
import type { ReadContext } from '../scope/context.ts'
import type { MapNode, Node } from '../yaml/document.ts'
import { headSpan, type Fields } from '../template/fields.ts'
import type { Step, Template, UsesStep } from '../language/playbook.ts'
import { quote } from '../language/problem.ts'
import type { Action } from '../language/step-keys.ts'
import type { Span } from '../language/source-text.ts'

/** Whether no step can run after this one. */
export const endsRun = (step: Step): boolean => step.if === undefined && endsRunIfRun(step)

/** Whether no step can run after this one if its `if` is true. */
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
    case 'state':
    case 'checkpoint':
    case 'call':
    case 'wait':
      return false
  }
}

/** Whether no step can run after this one if it fails. */
export const endsRunOnError = ({ onError }: Pick<Step, 'onError'>): boolean =>
  onError === 'fail' || (typeof onError === 'object' && onError.some(endsRun))

/** Suggests `parallel` for consecutive reads that do not depend on each other. */
export function adviseParallel(
  context: ReadContext,
  steps: readonly { readonly step: Step; readonly node: Node; readonly index: number }[],
): void {
  for (const [at, { step, node, index }] of steps.entries()) {
    const before = steps[at - 1]
    // Skips steps with errors, which may hide a dependency, and steps that are not adjacent.
    if (before?.index !== index - 1 || context.problems.hasErrorIn(node)) continue
    adviseFor(context, before.step, step, headSpan(node))
  }
}

function adviseFor(context: ReadContext, before: Step, step: Step, head: Span): void {
  if (!isPlainRead(context, before) || !isPlainRead(context, step)) return
  if (readsStep(step, before.id)) return
  const other = before.id === null ? before.skill : quote(before.id)
  const hint = 'put both under parallel: if their order does not matter'
  context.problems.add('I501', `this step could run at the same time as ${other}`, head, hint)
}

function isPlainRead({ catalogue }: ReadContext, step: Step): step is UsesStep {
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

/** Reports unused outputs. Call it after all expressions have been read. */
export function reportUnusedOutputs({ producers, readSteps, problems }: ReadContext): void {
  // `steps` as a whole or a computed index may read any step.
  if (readSteps.has('')) return
  for (const { id, span, what, spare } of producers) {
    if (id !== null && readSteps.has(id)) continue
    const hint =
      id === null
        ? `give the step an id and read it, or remove ${spare}`
        : `read steps.${id}.output, or remove ${spare}`
    problems.add('W403', `nothing reads ${what}`, span, hint)
  }
}

const isGroup = (action: Action | undefined): boolean =>
  action === 'steps' || action === 'parallel' || action === 'switch'

/** The timeout of a group applies to one round, which is easily misread as all rounds. */
export function warnOfTimeout({ problems }: ReadContext, fields: Fields, action: Action | undefined): void {
  const timeout = fields.get('timeout')
  const loop = ['repeat', 'foreach'].find((name) => fields.has(name))
  if (timeout === undefined || loop === undefined || !(isGroup(action) || action === 'call')) return
  const each = loop === 'repeat' ? 'to each round' : 'to each item'
  const hint =
    'to limit all of them together, put it on a group around this step; to limit each, on a group inside'
  problems.add('W423', `with \`${loop}\`, this timeout applies ${each}`, timeout.value, hint)
}

/** Records steps whose only use is their output. */
export function noteProducer(
  { producers }: ReadContext,
  id: string | null,
  action: Action | undefined,
  result: { readonly isRead?: boolean; readonly isComparison?: boolean } | undefined,
  node: MapNode,
  fields: Fields,
): void {
  const output = fields.get('output')
  // The condition of a `repeat` reads the output.
  if (output && isGroup(action) && !fields.has('repeat'))
    producers.push({ id, span: output.key, what: 'the output of this group', spare: '`output`' })
  const isIgnored = result?.isComparison === true && !fields.has('repeat')
  if (action !== 'set' && result?.isRead !== true && !isIgnored) return
  const what = isIgnored
    ? 'whether this step set the value: it does not if another run was faster'
    : action === 'set'
      ? 'the values that this step sets'
      : 'the output of this step'
  producers.push({
    id,
    span: fields.get('id')?.value ?? headSpan(node),
    what,
    spare: isIgnored ? '`expected`' : 'the step',
  })
}
