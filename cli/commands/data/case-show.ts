import { Command } from 'commander'
import { serverClient, urlOption } from '../../server-client.ts'

export function caseShowCommand(): Command {
  return new Command('show')
    .description('print a case with its fields, observables, timeline, alerts and runs')
    .argument('<id>', 'id of the case, e.g. main-7')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Set TOCSIN_KEY to an API key.

Example:
  TOCSIN_KEY=toc_… tocsin case show main-7`,
    )
    .action(async (id: string, { url }: { readonly url?: string }) => {
      const path = `/cases/${encodeURIComponent(id)}/export?format=markdown`
      process.stdout.write(await serverClient(url).text(path))
    })
}
