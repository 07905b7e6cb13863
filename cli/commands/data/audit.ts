import { Command } from 'commander'
import { auditVerifyCommand } from './audit-verify.ts'

export function auditCommand(): Command {
  return new Command('audit').description('check the audit log').addCommand(auditVerifyCommand())
}
