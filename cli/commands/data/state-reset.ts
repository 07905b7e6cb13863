import { Command } from 'commander'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface StateResetOptions {
  readonly key?: string
  readonly organization?: string
  readonly url?: string
}

export function stateResetCommand(): Command {
  return new Command('reset')
    .description('reset a state of a playbook: the next run finds it empty')
    .argument('<playbook>', 'its name')
    .argument('<state>', 'name of the state')
    .option('--key <key>', 'delete only this entry')
    .option('--organization <code>', 'required if several organizations have this state')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Set TOCSIN_KEY to an API key with the role analyst.

Example:
  TOCSIN_KEY=toc_… tocsin state reset deduplicate seen --key mail-7`,
    )
    .action(resetState)
}

async function resetState(
  playbook: string,
  state: string,
  { key, organization, url }: StateResetOptions,
): Promise<void> {
  const query = new URLSearchParams({ ...(key && { key }), ...(organization && { organization }) })
  const path = `/playbooks/${encodeURIComponent(playbook)}/state/${encodeURIComponent(state)}?${query.toString()}`
  const reset = await serverClient(url).delete<{ readonly organization_code: string }>(path)
  const what = key === undefined ? '' : ` entry ${printable(key)} of`
  const where = `${printable(state)} of ${printable(playbook)} in ${printable(reset.organization_code)}`
  console.log(`${paint.good('ok')} reset${what} ${where}`)
}
