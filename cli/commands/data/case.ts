import { Command } from 'commander'
import { caseExportCommand } from './case-export.ts'
import { caseShowCommand } from './case-show.ts'

export function caseCommand(): Command {
  return new Command('case')
    .description('show and export cases of a running server')
    .addCommand(caseShowCommand())
    .addCommand(caseExportCommand())
}
