import { Command, Option } from 'commander'
import { parseJson } from '../../../core/common/json.ts'
import { printableJson } from '../../output/printable.ts'
import { writeOutput } from '../../output/write-output.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface ExportOptions {
  readonly format: 'json' | 'markdown'
  readonly output?: string
  readonly url?: string
}

export function caseExportCommand(): Command {
  return new Command('export')
    .description('export a case with its alerts, runs, observables and complete timeline')
    .argument('<id>', 'id of the case, e.g. main-7')
    .addOption(
      new Option('-f, --format <format>', 'format of the document').choices(['json', 'markdown']).default('json'),
    )
    .option('-o, --output <file>', 'file to write; default: standard output')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Set TOCSIN_KEY to an API key.

Examples:
  tocsin case export main-7 > main-7.json
  tocsin case export main-7 --format markdown --output report.md`,
    )
    .action(exportCase)
}

async function exportCase(id: string, { format, output, url }: ExportOptions): Promise<void> {
  const document = await serverClient(url).text(`/cases/${encodeURIComponent(id)}/export?format=${format}`)
  // Preserves integers beyond 2^53.
  const text = format === 'json' ? `${printableJson(parseJson(document))}\n` : document
  if (output === undefined) process.stdout.write(text)
  else await writeOutput(output, text)
}
