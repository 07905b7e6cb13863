import { Command } from 'commander'
import { newPluginCommand } from './new-plugin.ts'

/** `tocsin new`: files to begin with. */
export function newCommand(): Command {
  return new Command('new').description('make files to begin with').addCommand(newPluginCommand())
}
