import { Command, InvalidArgumentError, Option } from 'commander'
import { previewCorrelation } from '../../../core/correlation/preview.ts'
import { previewView, type PreviewView } from '../../../core/correlation/preview-view.ts'
import { ValidationError } from '../../../core/errors/errors.ts'
import { PlaybookError } from '../../../core/errors/playbook-error.ts'
import { parseDurationMs } from '../../../core/playbook/language/durations.ts'
import type { Playbook } from '../../../core/playbook/language/playbook.ts'
import { parseWithCalled } from '../../../core/playbook/read/parse-with-called.ts'
import { dirname } from 'node:path'
import { installedCatalogue } from '../../installed-catalogue.ts'
import { previewLines } from '../../output/preview-lines.ts'
import { printableJson } from '../../output/printable.ts'
import { pastAlertsIn } from '../../past-alerts.ts'
import { playbooksIn } from '../../playbooks-in.ts'
import { readGiven } from '../../read-given.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface Options {
  readonly since: number
  readonly organization: string
  readonly alerts?: string
  readonly json?: boolean
  readonly url?: string
}

export function correlatePreviewCommand(): Command {
  return new Command('preview')
    .description('apply correlation rules to past alerts and count the cases; changes nothing')
    .argument('[playbook]', 'playbook with on.alert.correlate; it replaces the live one of its name')
    .addOption(
      new Option('--since <duration>', 'how far to look back').argParser(toDuration).default(30 * 86_400_000, '30d'),
    )
    .option('--organization <code>', 'organization whose alerts are read', 'main')
    .option('--alerts <file>', 'alerts in a JSON file instead of a server: an answer of GET /alerts?content=true')
    .option('--json', 'print the preview as JSON')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Without --alerts it asks a running server; set TOCSIN_KEY to an API key with the role analyst.

Examples:
  TOCSIN_KEY=toc_… tocsin correlate preview playbooks/phishing.yaml --since 14d
  tocsin correlate preview phishing.yaml --alerts alerts.json`,
    )
    .action(async (file: string | undefined, options: Options) => {
      const preview = options.alerts === undefined ? await ofServer(file, options) : await ofFile(file, options.alerts)
      console.log(options.json === true ? printableJson(preview) : previewLines(preview).join('\n'))
    })
}

async function ofServer(file: string | undefined, options: Options): Promise<PreviewView> {
  const source = file === undefined ? undefined : new TextDecoder().decode(await readGiven(file))
  return await serverClient(options.url).post<PreviewView>('/correlations/preview', {
    organization_code: options.organization,
    created_after: Date.now() - options.since,
    ...(source !== undefined && { source }),
  })
}

async function ofFile(file: string | undefined, alertsFile: string): Promise<PreviewView> {
  if (file === undefined)
    throw new ValidationError('playbook_missing', 'a playbook is needed with --alerts', [], {
      hint: 'tocsin correlate preview phishing.yaml --alerts alerts.json',
    })
  const playbook = await readPlaybook(file)
  const { alerts, organization } = await pastAlertsIn(alertsFile)
  const stored = { list: async () => ({ data: alerts, nextCursor: null, total: alerts.length }) }
  const request = { since: 0, organization, playbooks: [playbook], signal: new AbortController().signal }
  return previewView(await previewCorrelation(stored, request))
}

async function readPlaybook(file: string): Promise<Playbook> {
  const catalogue = await installedCatalogue()
  const beside = playbooksIn(dirname(file))
  const { playbook, problems } = parseWithCalled(await readGiven(file), { file, catalogue, beside })
  if (playbook === undefined) throw new PlaybookError(file, problems)
  return playbook
}

function toDuration(text: string): number {
  const ms = parseDurationMs(text)
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('write a duration such as 12h or 30d')
  return ms
}
