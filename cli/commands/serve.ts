import { Command } from 'commander'
import { readConfig } from '../../server/config.ts'
import { startTocsin } from '../../server/main.ts'
import { stopSignal } from '../stop-signal.ts'
import { welcome } from '../output/welcome.ts'

/** `tocsin serve`: the server, until it is told to stop. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('start the server (SIGINT or SIGTERM drains and stops it)')
    .action(async () => {
      const tocsin = await startTocsin(readConfig(process.env))
      console.log(welcome(tocsin))
      await stopSignal()
      await tocsin.close()
    })
}
