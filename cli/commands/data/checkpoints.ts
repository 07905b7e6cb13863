import { Command, Option } from 'commander'
import { checkpointStates } from '../../../core/domain/checkpoint.ts'
import { paint } from '../../output/paint.ts'
import { checkpointLines, type ShownCheckpoint } from '../../output/checkpoint-lines.ts'
import { serverClient, urlOption } from '../../server-client.ts'

export function checkpointsCommand(): Command {
  return new Command('checkpoints')
    .description('list the questions to people and their answers')
    .addOption(
      new Option('--state <state>', 'state of the questions').choices(checkpointStates).default('waiting'),
    )
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Set TOCSIN_KEY to an API key with the role analyst.

Example:
  TOCSIN_KEY=toc_… tocsin checkpoints --state answered`,
    )
    .action(async ({ state, url }: { readonly state: string; readonly url?: string }) => {
      const page = await serverClient(url).get<{
        readonly data: readonly ShownCheckpoint[]
        readonly total: number
      }>(`/checkpoints?limit=200&state=${state}`)
      for (const checkpoint of page.data) console.log(checkpointLines(checkpoint).join('\n'))
      const more = page.total - page.data.length
      console.log(paint.dim(`${page.total} ${state}${more > 0 ? `; ${more} older ones are not shown` : ''}`))
    })
}
