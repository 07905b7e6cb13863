import type { Log } from '../core/ports/log.ts'

/**
 * What nobody has caught ends the process, as it does without this, but the platform would print all that hangs on the error, such as the headers
 * of a request with their credentials. Here the log says it, which takes secrets out of every line.
 */
export function endWithLastWords(log: Pick<Log, 'error'>): void {
  process.on('uncaughtException', (error: unknown) => {
    try {
      log.error(
        { error },
        'the process ends: something threw where nobody catches it; what was under way goes on at the next start',
      )
    } finally {
      process.exit(1)
    }
  })
}
