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

export function resolveCommand(): Command {
  return new Command('resolve')
    .description('record the outcome of a step with unknown outcome, so that its run continues')
    .argument('<run>', 'its id')
    .argument('<path>', 'path of the step, as shown in the run')
    .addArgument(new Argument('<decision>', 'what happened').choices(stepDecisions))
    .option('--output <json>', 'with `ran`: the output of the skill, as JSON')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Check the other system first. You can decide once.

  ran                 it took effect, with --output
  ran_output_unknown  it took effect; later steps get the step's default, and fail if they read an output without default
  run_again           call the skill again
  skip                continue without it

Set TOCSIN_KEY to an API key with the role analyst.

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
