import { Command } from 'commander'
import { keysCreateCommand } from './keys-create.ts'
import { keysChangeCommand } from './keys-change.ts'
import { keysListCommand } from './keys-list.ts'
import { keysRevokeCommand } from './keys-revoke.ts'
import { keysRotateCommand } from './keys-rotate.ts'

export function keysCommand(): Command {
  return new Command('keys')
    .description('create, list, change and revoke API keys')
    .addCommand(keysCreateCommand())
    .addCommand(keysListCommand())
    .addCommand(keysChangeCommand())
    .addCommand(keysRotateCommand())
    .addCommand(keysRevokeCommand())
}
