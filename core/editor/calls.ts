import type { Span } from '../playbook/language/source-text.ts'
import type { Completion } from './completion/completion.ts'
import { describePlaybook } from './describe-playbook.ts'
import { findNode, type Inspection, type PathStep } from './inspection.ts'
import type { Guide } from './schema-walk.ts'

/** Whether the value at this path is the playbook name of a `call`. */
export function isCallOf(path: readonly PathStep[]): boolean {
  const [list, step] = path.slice(-2)
  return list !== undefined && 'index' in list && step !== undefined && 'key' in step && step.key === 'call'
}

/** The playbooks that can be called. */
export function completeCall({ playbooks }: Guide): readonly Completion[] {
  return (playbooks?.names ?? []).flatMap((name): Completion[] => {
    const playbook = playbooks?.find(name, [])?.playbook
    // A playbook with mistakes or without `on.call` cannot be called.
    if (playbook?.startedBy.call !== true) return []
    const detail = playbook.description === '' ? undefined : playbook.description.split('\n')[0]
    return [{ label: name, kind: 'playbook', detail, documentation: describePlaybook(playbook) }]
  })
}

/** The name of the called playbook at an offset, with its range. */
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
      isCallOf(path)
        ? { name: node.value, span: node }
        : undefined,
    )
  )
}
