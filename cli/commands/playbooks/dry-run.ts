import type { Command } from 'commander'
import { exploreDryRun } from '../../../core/dry-run/explore.ts'
import { correlationFor } from '../../../core/playbook-test/run/rehearse.ts'
import { testCases } from '../../../core/plugin/testing/index.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { openLiveSkills } from '../../rehearsal/connections.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { rehearsalCommand, type PlaybookRunOptions } from '../../rehearsal/options.ts'
import { prepare } from '../../rehearsal/prepare.ts'
import { treeLines, wouldFail } from '../../rehearsal/show-tree.ts'

interface Options extends PlaybookRunOptions {
  readonly fixtures?: string
}

export function dryRunCommand(): Command {
  return rehearsalCommand('dry-run', [
    '--fixtures <file>',
    'file with fixtures and mocks, e.g. a test file, that replace the other systems',
  ])
    .description('run a playbook without writing: reads are real, writes are only shown')
    .addHelpText(
      'after',
      `
Each skill declares whether it reads or writes (\`tocsin skills\`). Waits take no time. After a write, the run continues with an
assumed output: from the fixtures, else from the skill's first example, else generated from its schema. Checkpoints without
--answer try every answer.

Examples:
  tocsin dry-run playbooks/brute-force.yaml --alert alert.json
  tocsin dry-run travel.yaml --alert alert.json --answer confirm=not_mine

Exits with 1 if the run would not complete, or with 0 if several paths are shown.`,
    )
    .action(runDry)
}

async function runDry(file: string, options: Options): Promise<void> {
  const isMocked = options.fixtures !== undefined
  const live = await openLiveSkills({ organization: options.organization, isMocked })
  try {
    const { code, name, uuid } = live.organization
    const organization = live.isOffline ? undefined : { code, name }
    const prepared = await prepare(file, options, { world: options.fixtures, organization })
    const { catalogue, playbook, fixtures } = prepared
    const tree = await exploreDryRun({
      ...prepared,
      live: live.caller(catalogue, testCases(fixtures.organization.code, playbook.name)),
      organizationUuid: uuid,
      connections: live.connections,
      state: live.state,
      log: live.log,
    })
    for (const { reason } of correlationFor(playbook, fixtures).keys)
      console.log(paint.dim(`  shares a case with other alerts if ${printable(reason, 400)}`))
    console.log(treeLines(tree, playbook, catalogue).join('\n'))
    if (wouldFail(tree)) throw new Exit(exitCodes.failed)
  } finally {
    await live.close()
  }
}
