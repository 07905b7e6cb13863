import { Command } from 'commander'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import { startTocsin } from '../../../server/main.ts'
import { exitCodes } from '../../exit-codes.ts'
import { endWithLastWords } from '../../last-words.ts'
import { stopSignal } from '../../stop-signal.ts'
import { welcome } from '../../output/welcome.ts'

/** `tocsin serve`: the server, until it is told to stop. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('start the server')
    .addHelpText(
      'after',
      `
The first start makes the data directory and an admin key, and shows the key once.
SIGINT (Ctrl-C) or SIGTERM lets runs under way end for up to 20 seconds and stops; a second one stops at once.
Whatever was under way goes on at the next start.

Examples:
  tocsin serve
  TOCSIN_PORT=9000 TOCSIN_DATA_DIR=/var/lib/tocsin tocsin serve

docs/configuration.md describes every variable.`,
    )
    .action(async () => {
      const tocsin = await startTocsin(readConfig(processEnvironment()))
      endWithLastWords(tocsin.log)
      console.log(welcome(tocsin))
      const gone = await Promise.race([stopSignal(), tocsin.gone])
      if (gone) {
        tocsin.log.error({ error: gone }, 'the process ends: the data directory has not come back')
        process.exit(exitCodes.failed)
      }
      await tocsin.close()
    })
}
