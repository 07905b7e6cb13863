import type { Span } from '../playbook/language/source-text.ts'
import type { Completion } from './completion/completion.ts'
import { describePlaybook } from './describe-playbook.ts'
import { findNode, type Inspection, type PathStep } from './inspection.ts'
import type { Guide } from './schema-walk.ts'

/** Whether the value at this path is the name of another playbook: of a `call`, or of `beside`. */
export function namesPlaybook(path: readonly PathStep[]): boolean {
  const [list, step] = path.slice(-2)
  if (isBeside(path)) return true
  return list !== undefined && 'index' in list && step !== undefined && 'key' in step && step.key === 'call'
}

function isBeside([key, ...others]: readonly PathStep[]): boolean {
  return key !== undefined && 'key' in key && key.key === 'beside' && others.length === 0
}

/** The playbooks that can be called, or beside which a shadow can run. */
export function completePlaybook({ playbooks }: Guide, path: readonly PathStep[]): readonly Completion[] {
  return (playbooks?.names ?? []).flatMap((name): Completion[] => {
    const playbook = playbooks?.find(name, [])?.playbook
    // A playbook with mistakes cannot be named.
    if (playbook === undefined || playbook.shadow !== undefined) return []
    if (!(isBeside(path) ? playbook.alertTrigger !== undefined : playbook.startedBy.call)) return []
    const detail = playbook.description === '' ? undefined : playbook.description.split('\n')[0]
    return [{ label: name, kind: 'playbook', detail, documentation: describePlaybook(playbook) }]
  })
}

/** The name of another playbook at an offset, with its range. */
export function callAt(
  { root }: Inspection,
  offset: number,
): { readonly name: string; readonly span: Span } | undefined {
  return (
    root &&
    findNode(root, ({ node, path }) =>
      node.kind === 'scalar' &&
      typeof node.value === 'string' &&
      node.start <= offset &&
      offset <= node.end &&
      namesPlaybook(path)
        ? { name: node.value, span: node }
        : undefined,
    )
  )
}
