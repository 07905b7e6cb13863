import type { Run } from '../core/domain/run.ts'
import type { LogFields, Log } from '../core/ports/log.ts'
import type { Commit } from './sqlite/database/group-commit.ts'

/** Logs work that took too long. */
export interface SlowWork {
  committed(commit: Commit): void
  runEnded(run: Pick<Run, 'uuid' | 'alertId' | 'playbookName' | 'status' | 'createdAt' | 'endedAt'>): void
  /** Writes pending counts. */
  flush(): void
}

export interface SlowWorkOptions {
  readonly log: Log
  /** Milliseconds from the alert to the end of its run; 0: no run is slow. */
  readonly slowRunMs: number
}

/** From this time on a commit is slow; on a healthy disk it takes milliseconds. */
const slowCommitMs = 1_000

/** Lines of each kind per minute; the others are counted. */
const maxLines = 10
const windowMs = 60_000

export function watchSlowWork({ log, slowRunMs }: SlowWorkOptions): SlowWork {
  const commits = limitLines(log, 'slow commit')
  const runs = limitLines(log, 'slow run')
  return {
    committed({ writes, durationMs }) {
      if (durationMs >= slowCommitMs) commits.warn(durationMs, { count: writes })
    },
    runEnded({ uuid, alertId, playbookName, status, createdAt, endedAt }) {
      const durationMs = (endedAt ?? createdAt) - createdAt
      if (slowRunMs === 0 || durationMs < slowRunMs) return
      runs.warn(durationMs, { run: uuid, alert: alertId ?? undefined, playbook: playbookName, status })
    },
    flush() {
      commits.flush()
      runs.flush()
    },
  }
}

/** Writes the first lines of a minute, and at its end the number of the others and the longest duration. */
function limitLines(log: Log, message: string) {
  let lines = 0
  let suppressed = 0
  let longestMs = 0
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (suppressed > 0)
      log.warn({ count: suppressed, duration_ms: Math.round(longestMs) }, `${message}: more within a minute`)
    ;[lines, suppressed, longestMs] = [0, 0, 0]
  }
  return {
    warn(durationMs: number, fields: LogFields): void {
      timer ??= setTimeout(flush, windowMs).unref()
      if (lines < maxLines) {
        lines++
        log.warn({ ...fields, duration_ms: Math.round(durationMs) }, message)
        return
      }
      suppressed++
      longestMs = Math.max(longestMs, durationMs)
    },
    flush,
  }
}
