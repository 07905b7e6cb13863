/**
 * By how much the clocks of nodes may differ, in milliseconds. Also covers the time for which a write waits for that of another node after it
 * has read its clock. A time that is further in the future was stored before the clock was set back.
 */
const maxClockSkewMs = 60_000

/** Whether a stored time is one that no node can have stored by now, because the clock was set back since. */
export const isFromFuture = (at: number, now: number): boolean => at > now + maxClockSkewMs
