import { Command } from 'commander'
import { keysCreateCommand } from './keys-create.ts'
import { keysListCommand } from './keys-list.ts'
import { keysRevokeCommand } from './keys-revoke.ts'

/** `tocsin keys`: API keys, beside a running server or without one. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('make, list and revoke API keys')
    .addCommand(keysCreateCommand())
    .addCommand(keysListCommand())
    .addCommand(keysRevokeCommand())
}
