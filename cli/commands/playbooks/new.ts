import { Command } from 'commander'
import { newPlaybookCommand } from './new-playbook.ts'
import { newPluginCommand } from './new-plugin.ts'

/** `tocsin new`: files to begin with. */
export function newCommand(): Command {
  return new Command('new')
    .description('make files to begin with')
    .addCommand(newPlaybookCommand())
    .addCommand(newPluginCommand())
}
