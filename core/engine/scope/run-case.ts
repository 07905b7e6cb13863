import { programsIn, readsOf } from '../../playbook/language/step-reads.ts'
import type { Step, Template } from '../../playbook/language/playbook.ts'

/** The case of a run: given, or opened when a step first needs it. */
export interface RunCase {
  /** Null before it is opened. */
  readonly id: string | null
  /** Returns the same id each time. */
  open(): Promise<string>
}

/** `open` is called again only if it failed. */
export function createRunCase(known: string | null, open: () => Promise<string>): RunCase {
  let id = known
  return {
    get id() {
      return id
    },
    open: async () => (id ??= await open()),
  }
}

interface Reads {
  /** Reads `case` before it is known whether the step runs: in its condition or default. */
  readonly before: boolean
  readonly all: boolean
}

const known = new WeakMap<Step, Reads>()

/** Where a step reads `case`. */
export function caseReadsOf(step: Step): Reads {
  const found = known.get(step) ?? {
    before: readsCase([step.if, step.default]),
    all: readsOf(step).some(({ root }) => root === 'case'),
  }
  known.set(step, found)
  return found
}

export function readsCase(parts: Template | readonly unknown[]): boolean {
  return programsIn(parts).some(({ references }) => references.some(({ root }) => root === 'case'))
}
