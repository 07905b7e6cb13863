import type { Effect } from '../../core/plugin/index.ts'

/** The state of the effect of a writing task, shared by both threads: posted, begun, and so on. */
const state = { posted: 0, begun: 1, none: 2, unknown: 3, over: 4 } as const

/** Memory of one task, shared by both threads. */
export type EffectMemory = SharedArrayBuffer

export const newEffectMemory = (): EffectMemory => new SharedArrayBuffer(4)

/**
 * In the thread that performs the task: records its start, and then its known effect.
 *
 * @returns false if the task is over, so that nothing may be sent
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
 * Called by the thread that posted the task, after the task failed, timed out or lost its thread. Returns its
 * final effect; after `none`, the task sends nothing more. Undefined: no effect was recorded.
 */
export function endEffect(memory: EffectMemory): Effect | undefined {
  const cell = new Int32Array(memory)
  for (const nothing of [state.posted, state.none]) Atomics.compareExchange(cell, 0, nothing, state.over)
  const last = Atomics.load(cell, 0)
  if (last === state.over) return 'none'
  return last === state.unknown ? 'unknown' : undefined
}
