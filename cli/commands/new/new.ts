import { Command } from 'commander'
import { newPlaybookCommand } from './new-playbook.ts'
import { newPluginCommand } from './new-plugin.ts'

export function newCommand(): Command {
  return new Command('new')
    .description('create a playbook or a plugin')
    .addCommand(newPlaybookCommand())
    .addCommand(newPluginCommand())
}
