import { flushCompileCache } from 'node:module'
import { Command } from 'commander'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import { startTocsin } from '../../../server/main.ts'
import { exitCodes } from '../../exit-codes.ts'
import { stopSignal } from '../../stop-signal.ts'
import { welcome } from '../../output/welcome.ts'
import type { Log } from '../../../core/ports/log.ts'

export function serveCommand(): Command {
  return new Command('serve')
    .description('start the server')
    .addHelpText(
      'after',
      `
The first start creates the data directory and an admin key, and shows the key once.
SIGINT (Ctrl-C) or SIGTERM stops the server after active runs had up to 20 seconds to end; a second signal stops it immediately.
The next start resumes active runs.

Examples:
  tocsin serve
  TOCSIN_PORT=9000 TOCSIN_DATA_DIR=/var/lib/tocsin tocsin serve
  TOCSIN_OPS_PORT=9090 tocsin serve        # health and metrics on a second port

docs/configuration.md describes every variable.`,
    )
    .action(async () => {
      const tocsin = await startTocsin(readConfig(processEnvironment()))
      endWithLastWords(tocsin.log)
      console.log(welcome(tocsin))
      // Node writes it only at an orderly end, and a process that is killed should start quickly, too.
      flushCompileCache()
      const gone = await Promise.race([stopSignal(), tocsin.gone])
      if (gone) {
        tocsin.log.error({ error: gone }, `exiting: ${whyGone(gone.code)}`)
        process.exit(exitCodes.failed)
      }
      await tocsin.close()
    })
}

const whyGone = (code: string): string =>
  code === 'node_removed'
    ? 'another process has replaced this one'
    : code === 'database_replaced'
      ? 'the database is in an earlier state'
      : 'the data directory is gone'

/**
 * Logs an uncaught error, which redacts secrets, and exits. Node would print every property of the error,
 * such as request headers with credentials.
 */
function endWithLastWords(log: Pick<Log, 'error'>): void {
  process.on('uncaughtException', (error: unknown) => {
    try {
      log.error({ error }, 'exiting after an uncaught error; the next start resumes active runs')
    } finally {
      process.exit(1)
    }
  })
}
