import { Command, Option } from 'commander'
import { containmentStates } from '../../../core/destructive/containment.ts'
import { paint } from '../../output/paint.ts'
import { serverClient, urlOption } from '../../server-client.ts'
import { containmentTable, type ContainmentPage } from './shown-containment.ts'

interface ListOptions {
  readonly case?: string
  readonly run?: string
  readonly organization?: string
  readonly state: string
  readonly url?: string
}

export function containmentsListCommand(): Command {
  return new Command('list')
    .description('list containments, the newest 200 first')
    .option('--case <id>', 'only of this case')
    .option('--run <uuid>', 'only those that this run made')
    .option('--organization <code>', 'only of this organization')
    .addOption(
      new Option('--state <state>', 'their state; standing: all but undone')
        .choices(['standing', ...containmentStates, 'all'])
        .default('standing'),
    )
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Set TOCSIN_KEY to an API key with the role reader.

Example:
  TOCSIN_KEY=toc_… tocsin containments list --case ACME-7`,
    )
    .action(async ({ url, ...filter }: ListOptions) => {
      const query = new URLSearchParams({ limit: '200', ...filter })
      const { data, total } = await serverClient(url).get<ContainmentPage>(
        `/containments?${query.toString()}`,
      )
      if (data.length > 0) console.log(containmentTable(data))
      const more = total - data.length
      console.log(
        paint.dim(`${total} ${filter.state}${more > 0 ? `; ${more} older ones are not shown` : ''}`),
      )
    })
}
