import { Command } from 'commander'
import { caseExportCommand } from './case-export.ts'
import { caseShowCommand } from './case-show.ts'

/** `tocsin case`: looks at the cases of a server, over its API. */
export function caseCommand(): Command {
  return new Command('case')
    .description('show and export cases of a running server')
    .addCommand(caseShowCommand())
    .addCommand(caseExportCommand())
}
