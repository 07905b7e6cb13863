import type { Clock } from '../../ports/clock.ts'
import type { RunKey, WokenTurn } from '../../ports/runs/run-store.ts'
import { createWakeUps } from '../journal/wake-ups.ts'
import type { TurnControls } from './run-turn.ts'

interface Active {
  readonly done: Promise<void>
  controls: TurnControls
  /** Something happened that this turn may not have seen. */
  woken: boolean
}

/** The runs that have their turn on this node. */
export class ActiveTurns {
  readonly #turns = new Map<string, Active>()

  get size(): number {
    return this.#turns.size
  }

  has(uuid: string): boolean {
    return this.#turns.has(uuid)
  }

  /** Uuids of the runs. */
  get uuids(): readonly string[] {
    return [...this.#turns.keys()]
  }

  begin({ uuid }: RunKey, done: Promise<void>): void {
    this.#turns.set(uuid, { done, controls: newControls(), woken: false })
  }

  /** Whether the run was woken during its turn. */
  end({ uuid }: RunKey): boolean {
    const woken = this.#turns.get(uuid)?.woken === true
    this.#turns.delete(uuid)
    return woken
  }

  /** New controls, for another attempt. */
  renewControls({ uuid }: RunKey): TurnControls {
    const controls = newControls()
    const active = this.#turns.get(uuid)
    if (active) active.controls = controls
    return controls
  }

  /** False: the run has no turn here. */
  wake({ uuid }: RunKey): boolean {
    const active = this.#turns.get(uuid)
    if (active === undefined) return false
    active.woken = true
    active.controls.wakeUps.wake()
    return true
  }

  /** False: the run has no turn here. */
  cancel(run: RunKey): boolean {
    this.#turns.get(run.uuid)?.controls.cancel.abort()
    return this.wake(run)
  }

  /** A run was found woken in the store, which is so until its turn ends. */
  found({ run, isCancelled }: WokenTurn): void {
    const active = this.#turns.get(run)
    if (active === undefined) return
    const isNews = !active.woken || (isCancelled && !active.controls.cancel.signal.aborted)
    if (isCancelled) active.controls.cancel.abort()
    active.woken = true
    if (isNews) active.controls.wakeUps.wake()
  }

  /** Stops the current steps. */
  stopAll(): void {
    for (const { controls } of this.#turns.values()) controls.stop.abort()
  }

  /** Resolves when the turns of now have ended. */
  async ended(): Promise<void> {
    await Promise.all(Array.from(this.#turns.values(), ({ done }) => done))
  }

  /** As `ended`, after `ms` at the latest. */
  async endedWithin(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const late = clock.sleep(ms, AbortSignal.any([over.signal, signal])).catch(() => {})
    await Promise.race([this.ended(), late])
    over.abort()
  }
}

function newControls(): TurnControls {
  return { stop: new AbortController(), cancel: new AbortController(), wakeUps: createWakeUps() }
}
