import type { Effect } from '../../core/plugin/index.ts'

/** What both threads know of the effect of a task that changes something: it was posted, it began, and so on. */
const state = { posted: 0, begun: 1, none: 2, unknown: 3, over: 4 } as const

/** Memory of one task, shared by both threads. */
export type EffectMemory = SharedArrayBuffer

export const newEffectMemory = (): EffectMemory => new SharedArrayBuffer(4)

/**
 * In the thread that performs the task: notes that it begins, and then what is known of its effect.
 *
 * @returns false where the task is over already: nothing may be sent any more
 */
export function noteEffect(memory: EffectMemory, effect: Effect | 'begun'): boolean {
  const cell = new Int32Array(memory)
  for (;;) {
    const before = Atomics.load(cell, 0)
    if (before === state.over) return false
    if (Atomics.compareExchange(cell, 0, before, state[effect]) === before) return true
  }
}

/**
 * In the thread that gave the task, when it has failed, run out of time or lost its thread: what is known of its effect, for good. Where
 * that is `none`, nothing is sent from now on. Undefined: nothing is known.
 */
export function endEffect(memory: EffectMemory): Effect | undefined {
  const cell = new Int32Array(memory)
  for (const nothing of [state.posted, state.none]) Atomics.compareExchange(cell, 0, nothing, state.over)
  const last = Atomics.load(cell, 0)
  if (last === state.over) return 'none'
  return last === state.unknown ? 'unknown' : undefined
}
