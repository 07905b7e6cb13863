import { operationsOfKind, stateKinds, stateOperations, type StateKind } from '../state/state.ts'
import type { Node } from '../playbook/yaml/document.ts'
import { entryNamed } from '../playbook/yaml/plain-value.ts'
import type { Span } from '../playbook/language/source-text.ts'
import type { Completion } from './completion/completion.ts'
import { findNode, type Inspection, type PathStep } from './inspection.ts'

/** A state that the playbook declares; the declaration may be incomplete. */
interface WrittenState {
  readonly name: string
  readonly kind: StateKind
  /** The name in the declaration. */
  readonly span: Span
  /** Markdown. */
  readonly documentation: string
}

const purposes: Readonly<Record<StateKind, string>> = {
  value: 'one value',
  counter: 'a number',
  set: 'keys',
  map: 'values by key',
  counters: 'numbers by key',
}

function statesIn(root: Node | undefined): readonly WrittenState[] {
  const declared = root?.kind === 'map' ? entryNamed(root, 'state')?.value : undefined
  if (declared?.kind !== 'map') return []
  return declared.entries.map(({ name, key, value }) => {
    const given = textIn(value, 'kind')
    const kind = stateKinds.find((each) => each === given) ?? 'value'
    const type = textIn(value, 'type')
    const expires = textIn(value, 'expires')
    const facts = [
      `**${kind}** \`${name}\`: ${purposes[kind]}${type === undefined ? '' : ` of type ${type}`}`,
      ...(expires === undefined ? [] : [`expires after ${expires}`]),
    ]
    const documentation = [facts.join(', '), textIn(value, 'description')]
    return { name, kind, span: key, documentation: documentation.filter(Boolean).join('\n\n') }
  })
}

function textIn(node: Node, name: string): string | undefined {
  const value = node.kind === 'map' ? entryNamed(node, name)?.value : undefined
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : undefined
}

/** The operation whose state is named at this path: `steps[0].state.add`. */
function operationAt(path: readonly PathStep[]) {
  const [list, step, named] = path.slice(-3)
  if (list === undefined || !('index' in list) || !step || !('key' in step) || step.key !== 'state')
    return undefined
  return stateOperations.find((each) => named !== undefined && 'key' in named && named.key === each)
}

/** The declared states that support the operation; undefined at other places. */
export function completeState(path: readonly PathStep[]): readonly Completion[] | undefined {
  const operation = operationAt(path)
  if (operation === undefined) return undefined
  return statesIn(path[0]?.in)
    .filter(({ kind }) => operationsOfKind[kind].includes(operation))
    .map(({ name, kind, documentation }) => ({ label: name, kind: 'value', detail: kind, documentation }))
}

/** The declared state that a step names at an offset, with the range of the name. */
export function stateAt(
  { root }: Pick<Inspection, 'root'>,
  offset: number,
): { readonly state: WrittenState; readonly span: Span } | undefined {
  return (
    root &&
    findNode(root, ({ node, path }) => {
      const isHere = node.kind === 'scalar' && node.start <= offset && offset <= node.end
      if (!isHere || operationAt(path) === undefined) return undefined
      const state = statesIn(root).find(({ name }) => name === node.value)
      return state && { state, span: node }
    })
  )
}

/** The declaration of a state. */
export const stateSpan = ({ root }: Pick<Inspection, 'root'>, name: string): Span | undefined =>
  statesIn(root).find((state) => state.name === name)?.span
