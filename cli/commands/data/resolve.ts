import { Argument, Command } from 'commander'
import { stepDecisions, type StepDecision } from '../../../core/domain/run.ts'
import { parseJson } from '../../../core/common/json.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface ResolveOptions {
  readonly output?: string
  readonly url?: string
}

/** `tocsin resolve`: what became of a step with unknown outcome. */
export function resolveCommand(): Command {
  return new Command('resolve')
    .description('decide about a step with unknown outcome, so that its run goes on')
    .argument('<run>', 'its id')
    .argument('<path>', 'of the step, as the run shows it')
    .addArgument(new Argument('<decision>', 'what became of it').choices(stepDecisions))
    .option('--output <json>', 'with `ran`: what the skill would have answered')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Look at the other system first. One decision counts.

  ran                 it happened, with --output
  ran_output_unknown  it happened; later steps get the step's default, and fail where they read an output without one
  run_again           call the skill once more
  skip                go on without it

The key stands in TOCSIN_KEY; it needs the role analyst.

Example:
  TOCSIN_KEY=toc_… tocsin resolve 0f8f… isolate ran_output_unknown`,
    )
    .action(resolve)
}

async function resolve(
  run: string,
  path: string,
  decision: StepDecision,
  { output, url }: ResolveOptions,
): Promise<void> {
  const given = output === undefined ? {} : { output: parseJson(output) }
  const step = await serverClient(url).post<{ readonly state: string }>(
    `/runs/${encodeURIComponent(run)}/resolve`,
    { path, decision, ...given },
  )
  console.log(`${paint.good('ok')} step ${printable(path)} is ${printable(step.state)}: ${decision}`)
}
