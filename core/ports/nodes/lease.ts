/**
 * The right of this process to act on other systems. It ends by itself when the process has not renewed it, so that a process that was
 * stopped sends nothing after another one has taken over.
 */
export interface Lease {
  isHeld(): boolean
}
