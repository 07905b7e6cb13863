import { relative } from 'node:path'
import { Command } from 'commander'
import { readConfig } from '../../../server/config/config.ts'
import { makePlaybook } from '../../new-playbook/make-playbook.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'

interface Options {
  readonly alert?: string
  readonly manual?: boolean
  readonly in?: string
  readonly organization?: string
}

export function newPlaybookCommand(): Command {
  return new Command('playbook')
    .description('create a valid playbook with a passing test, as a start for your own')
    .argument('<name>', 'e.g. odd-sign-in, which becomes odd-sign-in.yaml and odd-sign-in.test.yaml')
    .option('--alert <type>', 'type of the alerts that it investigates (default: the name with underscores)')
    .option('--manual', 'people start it with an input, instead of an alert')
    .option('--organization <code>', 'the organization that it belongs to (default: shared by all)')
    .option('--in <folder>', 'folder for the files; default: TOCSIN_PLAYBOOKS_DIR (./playbooks)')
    .addHelpText(
      'after',
      `
Overwrites nothing. Continue with docs/tutorial.md.

Examples:
  tocsin new playbook odd-sign-in
  tocsin new playbook odd-sign-in --alert azure_odd_sign_in
  tocsin new playbook look-up --manual --in drafts
  tocsin new playbook acme-sign-in --organization acme`,
    )
    .action(async (name: string, options: Options, command: Command) => {
      if (options.manual === true && options.alert !== undefined)
        command.error('error: give --alert or --manual, not both')
      const alertType = options.manual === true ? undefined : (options.alert ?? name.replaceAll('-', '_'))
      const paths = await makePlaybook(options.in ?? readConfig(process.env).playbooksDir, {
        name,
        alertType,
        organization: options.organization,
      })
      const shown = paths.map((path) => printable(relative('.', path), 5_000))
      const [playbook = '', tests = ''] = shown
      console.log(
        [
          paint.good('created'),
          ...shown.map((path) => `  ${path}`),
          '',
          'next:',
          `  tocsin validate ${playbook}`,
          `  tocsin test ${tests}`,
        ].join('\n'),
      )
    })
}
