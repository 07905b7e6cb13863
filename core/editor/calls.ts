import type { Span } from '../playbook/language/source-text.ts'
import type { Completion } from './completion/completion.ts'
import { describePlaybook } from './describe-playbook.ts'
import { findNode, type Inspection, type Step } from './inspection.ts'
import type { Guide } from './schema-walk.ts'

/** Whether the value on this way is the name of a playbook: that of `call` in a step. */
export function isCallOf(path: readonly Step[]): boolean {
  const [list, step] = path.slice(-2)
  return list !== undefined && 'index' in list && step !== undefined && 'key' in step && step.key === 'call'
}

/** The playbooks that can be called. */
export function completeCall({ playbooks }: Guide): readonly Completion[] {
  return (playbooks?.names ?? []).flatMap((name): Completion[] => {
    const playbook = playbooks?.find(name, [])?.playbook
    // One with mistakes, or that is not made to be called, cannot be.
    if (playbook?.startedBy.call !== true) return []
    const detail = playbook.description === '' ? undefined : playbook.description.split('\n')[0]
    return [{ label: name, kind: 'playbook', detail, documentation: describePlaybook(playbook) }]
  })
}

/** The name of the playbook that is called at an offset, and where it stands. */
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
