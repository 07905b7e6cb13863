import { Command } from 'commander'
import { keysCreateCommand } from './keys-create.ts'
import { keysListCommand } from './keys-list.ts'
import { keysRevokeCommand } from './keys-revoke.ts'

export function keysCommand(): Command {
  return new Command('keys')
    .description('create, list and revoke API keys')
    .addCommand(keysCreateCommand())
    .addCommand(keysListCommand())
    .addCommand(keysRevokeCommand())
}
