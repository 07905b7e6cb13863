import { Command } from 'commander'
import { choicesOf } from '../../../core/dry-run/choices.ts'
import { exploreDryRun } from '../../../core/dry-run/explore.ts'
import { testCases } from '../../../core/plugin/testing/index.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { openLiveSkills } from '../../rehearsal/connections.ts'
import { collectAnswers, collectTexts, type Texts } from '../../rehearsal/key-value.ts'
import { prepare } from '../../rehearsal/prepare.ts'
import { treeLines, wouldFail } from '../../rehearsal/show-tree.ts'
import { typedChoice } from '../../rehearsal/typed-choice.ts'

interface Options {
  readonly alert?: string
  readonly input?: Texts
  readonly answer?: Texts
  readonly fixtures?: string
  readonly organization?: string
}

/** `tocsin dry-run`: what a playbook would do, without doing it. */
export function dryRunCommand(): Command {
  return new Command('dry-run')
    .description('show what a playbook would do: reads are made, writes are shown instead of made')
    .argument('<playbook>', 'a playbook file')
    .option('--alert <file.json>', 'the alert: what POST /alerts takes, or its content; - for standard input')
    .option('--input <name=value>', 'an input of the playbook; may be given again', collectTexts)
    .option(
      '--fixtures <file>',
      'a file with fixtures and mocks, e.g. of tests: they answer instead of the other systems',
    )
    .option(
      '--answer <step=answer>',
      'what is answered to a checkpoint, or timeout; may be given again',
      collectAnswers,
    )
    .option('--organization <code>', 'whose connections are used; the only organization when left out')
    .addHelpText(
      'after',
      `
What is a read and what a write is what the skill declares (\`tocsin skills\`). Waits pass at once. After a write the run goes
on with an assumed output: of the fixtures, else of the skill's first example, else made from its schema. Where nothing is
said about a checkpoint, every answer is tried.

Examples:
  tocsin dry-run playbooks/brute-force.yaml --alert alert.json
  tocsin dry-run travel.yaml --alert alert.json --answer confirm=not_mine

Exits with 1 when the run would not complete; where several ways are shown, with 0.`,
    )
    .action(runDry)
}

async function runDry(file: string, options: Options): Promise<void> {
  const isMocked = options.fixtures !== undefined
  const live = await openLiveSkills({ organization: options.organization, isMocked })
  try {
    const { code, name, uuid } = live.organization
    const prepared = await prepare({
      playbook: file,
      alert: options.alert,
      inputs: options.input,
      world: options.fixtures,
      organization: live.isOffline ? undefined : { code, name },
    })
    const { catalogue, playbook, fixtures } = prepared
    const tree = await exploreDryRun({
      ...prepared,
      choices: choicesOf(playbook, prepared.called, options.answer ?? {}, typedChoice),
      live: live.caller(catalogue, testCases(fixtures.organization.code, playbook.name)),
      organizationUuid: uuid,
      log: live.log,
    })
    console.log(treeLines(tree, playbook, catalogue).join('\n'))
    if (wouldFail(tree)) throw new Exit(exitCodes.failed)
  } finally {
    await live.close()
  }
}
