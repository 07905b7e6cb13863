import { maskOf } from '../../domain/mask.ts'
import type { StoredError } from '../../domain/run.ts'
import { isSensitive, type Program, type Reference } from '../../expression/index.ts'
import type { Step } from '../../playbook/language/playbook.ts'
import { readsOf } from '../../playbook/language/step-reads.ts'
import { isKeyed, type PlaybookState, type StateRule } from '../../state/state.ts'
import type { DurableContext } from '../journal/durable-context.ts'
import { statePath } from '../journal/paths.ts'
import { advance, type StepScope } from './scope.ts'

type Context = { readonly context: DurableContext }

/** The scope with the state that the expressions read, or the error of the read. */
type ReadScope = { readonly scope: StepScope } | { readonly error: StoredError }

/** Reads the state that a step reads, as of its start. The read is recorded, so a replay sees the same. */
export function withState(walk: Context, step: Step, path: string, scope: StepScope): Promise<ReadScope> {
  return read(walk, readsOf(step), path, scope)
}

/** Like `withState`, for expressions outside of steps. */
export function withStateFor(
  walk: Context,
  programs: readonly Program[],
  path: string,
  scope: StepScope,
): Promise<ReadScope> {
  return read(
    walk,
    programs.flatMap(({ references }) => references),
    path,
    scope,
  )
}

async function read(
  { context }: Context,
  references: readonly Reference[],
  path: string,
  scope: StepScope,
): Promise<ReadScope> {
  const names = namesRead(references, scope.state)
  if (names.length === 0) return { scope }
  const rules = Object.fromEntries(names.map((name) => [name, ruleOf(scope, name)]))
  const secret = names.map((name) => [name, isSecret(scope, name) ? true : undefined] as const)
  const output = maskOf(secret)
  const outcome = await context.state({
    path: statePath(path),
    stepId: null,
    kind: 'state',
    ...(output && { sensitive: { output } }),
    request: () => ({ playbook: scope.callers.at(-1)!, read: rules }),
    shielded: scope.shielded,
  })
  advance(scope, outcome.endedAt)
  if (outcome.state === 'failed') return { error: outcome.error }
  return { scope: { ...scope, names: { ...scope.names, state: outcome.output } } }
}

/** The states that expressions read; all of them for `state` as a whole. */
function namesRead(references: readonly Reference[], state: PlaybookState): readonly string[] {
  if (state.size === 0) return []
  const read = references.filter(({ root }) => root === 'state')
  if (read.length === 0) return []
  const readable = [...state].filter(([, { kind }]) => !isKeyed(kind)).map(([name]) => name)
  const isWhole = read.some(({ path: [name] }) => name === undefined)
  return isWhole ? readable : readable.filter((name) => read.some(({ path }) => path[0] === name))
}

/** The declaration of a state, without the fields that only the checker needs. */
export function ruleOf({ state }: Pick<StepScope, 'state'>, name: string): StateRule {
  const declared = state.get(name)
  if (declared === undefined) throw new Error(`the state '${name}' is not declared`)
  const { type: _, description: __, ...rule } = declared
  return rule
}

const isSecret = ({ state }: StepScope, name: string): boolean => {
  const declared = state.get(name)
  return declared !== undefined && (declared.sensitive || isSensitive(declared.type))
}
