import { Command } from 'commander'
import { containmentsListCommand } from './containments-list.ts'
import { containmentsUndoCommand } from './containments-undo.ts'

export function containmentsCommand(): Command {
  return new Command('containments')
    .description('list and undo actions that stay in effect, such as isolated machines')
    .addCommand(containmentsListCommand())
    .addCommand(containmentsUndoCommand())
}
