import { Command } from 'commander'
import { correlatePreviewCommand } from './correlate-preview.ts'

export function correlateCommand(): Command {
  return new Command('correlate')
    .description('show what correlation rules would do with past alerts')
    .addCommand(correlatePreviewCommand())
}
