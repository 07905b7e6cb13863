import type { Actor } from '../../domain/audit.ts'
import type { Pause } from '../../domain/pause.ts'

export interface PauseStore {
  /** Undefined: runs are not paused. */
  get(): Promise<Pause | undefined>
  /** An earlier pause stays, and is given. */
  pause(reason: string, by: Actor): Promise<Pause>
  resume(by: Actor): Promise<void>
}
