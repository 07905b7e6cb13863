import { Command } from 'commander'
import { serverClient, urlOption } from '../../server-client.ts'

/** `tocsin case show`: what is known of a case, for people. */
export function caseShowCommand(): Command {
  return new Command('show')
    .description('print what is known of a case: its facts, observables, timeline, alerts and runs')
    .argument('<id>', 'of the case, e.g. main-7')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
The key stands in TOCSIN_KEY.

Example:
  TOCSIN_KEY=toc_… tocsin case show main-7`,
    )
    .action(async (id: string, { url }: { readonly url?: string }) => {
      const path = `/cases/${encodeURIComponent(id)}/export?format=markdown`
      process.stdout.write(await serverClient(url).text(path))
    })
}
