import type { Signal, Signals } from '../../../core/ports/nodes/signals.ts'

/** Delivers signals between nodes of one process, in the next turn of the event loop. For tests, and embedded use. */
export class SignalBus {
  readonly #nodes = new Set<Set<(signal: Signal) => void>>()

  /** The signals of one node. */
  join(): Signals {
    const listeners = new Set<(signal: Signal) => void>()
    this.#nodes.add(listeners)
    return {
      publish: (signal) => {
        setImmediate(() => {
          for (const node of this.#nodes)
            if (node !== listeners) for (const listener of node) listener(signal)
        })
      },
      listen(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
  }

  /** Simulates a gap: all nodes may have missed signals. */
  miss(): void {
    for (const node of this.#nodes) for (const listener of node) listener({ kind: 'missed' })
  }
}
