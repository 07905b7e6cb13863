import { Command } from 'commander'
import { auditVerifyCommand } from './audit-verify.ts'

/** `tocsin audit`: what was done by whom. */
export function auditCommand(): Command {
  return new Command('audit').description('check the audit log').addCommand(auditVerifyCommand())
}
