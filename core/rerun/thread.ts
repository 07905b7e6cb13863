import type { Reference } from '../expression/index.ts'
import type { Step } from '../playbook/language/playbook.ts'
import { idsWithin } from '../engine/scope/step-ids.ts'

/** What a step may read, as far as it is no longer what it was. */
export interface Thread {
  /** Ids of steps that run again. */
  readonly open: Set<string>
  /** Names of inputs whose values are others now. */
  readonly inputs: ReadonlySet<string>
}

export const fork = (thread: Thread): Thread => ({ ...thread, open: new Set(thread.open) })

/** A branch has ended: what became of its steps is seen from now on. */
export function join(thread: Thread, branch: Thread, step: Step): void {
  for (const id of idsWithin(step)) {
    if (branch.open.has(id)) thread.open.add(id)
    else thread.open.delete(id)
  }
}

/** The first read of something that is not what it was. */
export function changedRead({ open, inputs }: Thread, reads: readonly Reference[]): string | undefined {
  for (const { root, path } of reads) {
    const [name] = path
    const changed = root === 'steps' ? open : root === 'inputs' ? inputs : undefined
    if (changed === undefined || changed.size === 0) continue
    if (name === undefined) return root
    if (changed.has(name)) return `${root}.${name}`
  }
  return undefined
}

/** A read of what is another in every run. */
export function volatileRead(reads: readonly Reference[]): string | undefined {
  for (const { root, path } of reads) {
    if (root === 'now') return root
    if (root === 'run' && path[0] !== 'dry_run') return path[0] === undefined ? root : `run.${path[0]}`
  }
  return undefined
}
