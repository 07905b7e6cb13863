import type { Actor } from '../../domain/audit.ts'
import type { Pause } from '../../domain/pause.ts'

export interface PauseStore {
  /** Undefined: runs are not paused. */
  get(): Promise<Pause | undefined>
  /** Returns an earlier pause unchanged. */
  pause(reason: string, by: Actor): Promise<Pause>
  resume(by: Actor): Promise<void>
}
