import { Command } from 'commander'
import { stateListCommand } from './state-list.ts'
import { stateResetCommand } from './state-reset.ts'

export function stateCommand(): Command {
  return new Command('state')
    .description('list and reset what a playbook keeps between runs')
    .addCommand(stateListCommand())
    .addCommand(stateResetCommand())
}
