import { Command } from 'commander'
import { existsSync } from 'node:fs'
import { dryRun } from '../../core/dry-run/index.ts'
import { testCases } from '../../core/plugin/testing/memory-stores.ts'
import { readConfig } from '../../server/config.ts'
import { Exit, exitCodes } from '../exit-codes.ts'
import { openLiveSkills, withoutConnections } from '../rehearsal/connections.ts'
import { collectJson, type Values } from '../rehearsal/key-value.ts'
import { prepare } from '../rehearsal/prepare.ts'
import { endLines, stepLine, wouldDoLines } from '../rehearsal/show.ts'

interface Options {
  readonly alert?: string
  readonly input?: Values
  readonly fixtures?: string
  readonly organization?: string
}

/** `tocsin dry-run`: what a playbook would do, without doing it. */
export function dryRunCommand(): Command {
  return new Command('dry-run')
    .description('show what a playbook would do: reads are made, writes are shown instead of made')
    .argument('<playbook>', 'a playbook file')
    .option('--alert <file.json>', 'the alert: what POST /alerts takes, or its content; - for standard input')
    .option('--input <name=value>', 'an input of the playbook; may be given again', collectJson)
    .option(
      '--fixtures <file>',
      'a file with fixtures and mocks, e.g. of tests: they answer instead of the other systems',
    )
    .option('--organization <code>', 'whose connections are used; the only organization when left out')
    .addHelpText(
      'after',
      `
What is a read and what a write is what the skill declares (\`tocsin skills\`). Waits pass at once. After a write the run goes
on with an assumed output: of the fixtures, else of the skill's first example, else made from its schema.

Example:
  tocsin dry-run playbooks/brute-force.yaml --alert alert.json

Exits with 0 when the run would complete.`,
    )
    .action(runDry)
}

async function runDry(file: string, options: Options): Promise<void> {
  // Fixtures alone may do: then no data directory is needed.
  const isOffline = options.fixtures !== undefined && !existsSync(readConfig(process.env).dataDir)
  const live = isOffline ? withoutConnections() : await openLiveSkills(options.organization)
  try {
    const { code, name, uuid } = live.organization
    const { catalogue, playbook, fixtures, mocks } = await prepare({
      playbook: file,
      alert: options.alert,
      inputs: options.input,
      world: options.fixtures,
      organization: isOffline ? undefined : { code, name },
    })
    const { outcome, durationMs, wouldDo } = await dryRun({
      playbook,
      catalogue,
      fixtures,
      mocks,
      live: live.caller(catalogue, testCases(fixtures.organization.code, playbook.name)),
      organizationUuid: uuid,
      log: live.log,
      onEnd: (entry) => {
        const isShown = entry.state === 'completed' && catalogue.skill(entry.kind)?.skill.effect === 'write'
        if (!isShown) console.log(stepLine(entry))
      },
      onWouldDo: (would) => console.log(wouldDoLines(would)),
    })
    console.log(endLines(playbook.name, outcome, durationMs, undefined, []))
    console.log(
      `    nothing was changed; ${wouldDo.length} ${wouldDo.length === 1 ? 'write' : 'writes'} would have been made`,
    )
    if (outcome.status !== 'completed') throw new Exit(exitCodes.failed)
  } finally {
    await live.close()
  }
}
