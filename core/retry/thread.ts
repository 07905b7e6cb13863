import type { Reference } from '../expression/index.ts'
import type { Step } from '../playbook/language/playbook.ts'
import { idsWithin } from '../engine/scope/scope.ts'

/** The changed data that steps on this path may read. */
export interface Thread {
  /** Ids of steps that run again. */
  readonly open: Set<string>
  /** Names of inputs whose values changed. */
  readonly inputs: ReadonlySet<string>
}

export const forkThread = (thread: Thread): Thread => ({ ...thread, open: new Set(thread.open) })

/** Merges an ended branch: later steps see the results of its steps. */
export function joinThread(thread: Thread, branch: Thread, step: Step): void {
  for (const id of idsWithin(step)) {
    if (branch.open.has(id)) thread.open.add(id)
    else thread.open.delete(id)
  }
}

/** The first reference to changed data. */
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

/** A reference to data that differs in every run. */
export function volatileRead(reads: readonly Reference[]): string | undefined {
  for (const { root, path } of reads) {
    if (root === 'now') return root
    if (root === 'run' && path[0] !== 'dry_run') return path[0] === undefined ? root : `run.${path[0]}`
  }
  return undefined
}
