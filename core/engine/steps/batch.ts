import type { Step, UsesStep } from '../../playbook/language/playbook.ts'
import { hide } from '../../domain/mask.ts'
import { templateValue } from '../scope/evaluate.ts'
import { itemPath, repeatPath } from '../journal/paths.ts'
import { boundConnectionOf, textOfCall } from './calls-of.ts'
import { advance, fork, withLocals, type BatchedUse, type StepScope } from '../scope/scope.ts'
import { attempt, type Walk } from './walk.ts'

interface Batch {
  readonly scope: StepScope
  /** Call when the items have ended. */
  readonly release: () => Promise<void>
}

interface Use {
  readonly path: string
  readonly input: unknown
  readonly shown: unknown
}

/**
 * Counts all uses of a destructive skill before a `foreach`, and asks one question about those beyond the limit,
 * with every input. Only these inputs are approved. An item whose input cannot be evaluated fails by itself.
 */
export async function openBatch(
  walk: Walk,
  step: Step & { readonly foreach: NonNullable<Step['foreach']> },
  items: readonly unknown[],
  path: string,
  scope: StepScope,
): Promise<Batch> {
  const alone: Batch = { scope, release: async () => {} }
  if (step.action !== 'uses' || items.length < 2) return alone
  const declared = walk.skills.destructive?.(step.skill)
  if (declared === undefined || walk.context.approve === undefined) return alone
  const uses = items.flatMap((item, index) => useOf(step, path, scope, item, index) ?? [])
  if (uses.length === 0) return alone
  const verdict = await walk.context.approve({
    path,
    stepId: step.id,
    kind: step.skill,
    class: declared.class,
    uses,
    sensitive: step.sensitive,
    connection: () => boundConnectionOf(walk, step.skill, step.connection),
    implements: declared.implements,
    text: textOfCall(declared, step.undo),
    deadlineMs: scope.deadline.atMs,
    shielded: scope.shielded,
  })
  const paths = uses.map((use) => use.path)
  if (verdict.state === 'within') return { scope, release: async () => await walk.context.release?.(paths) }
  advance(scope, verdict.state === 'approved' ? verdict.endedAt : verdict.outcome.endedAt)
  const decided = (use: Use, index: number): BatchedUse => {
    if (verdict.state === 'refused') return { refused: verdict.outcome }
    const refused = verdict.refusedItems.get(index)
    return refused === undefined ? { input: use.input, approval: verdict.approval } : { refused }
  }
  const batch = new Map(uses.map((use, index) => [use.path, decided(use, index)]))
  return { ...alone, scope: { ...scope, batch } }
}

function useOf(
  step: UsesStep,
  path: string,
  scope: StepScope,
  item: unknown,
  index: number,
): Use | undefined {
  const { foreach, repeat } = step
  const branch = fork(withLocals(scope, { [foreach!.as]: item, index }))
  const evaluated = attempt(() => templateValue(step.with, branch))
  if ('error' in evaluated) return undefined
  const { value: input } = evaluated
  const here = itemPath(path, index)
  return {
    path: repeat === undefined ? here : repeatPath(here, 1),
    input,
    shown: hide(step.sensitive?.input, input),
  }
}
