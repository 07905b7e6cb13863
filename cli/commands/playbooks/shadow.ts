import { Command, InvalidArgumentError, Option } from 'commander'
import { parseDurationMs } from '../../../core/playbook/language/durations.ts'
import { printableJson } from '../../output/printable.ts'
import { shadowLines, type ShadowAlert, type ShadowView } from '../../output/shadow-lines.ts'
import { serverClient, urlOption } from '../../server-client.ts'

interface Options {
  readonly since: number
  readonly organization?: string
  readonly json?: boolean
  readonly url?: string
}

/** Alerts that differ, in the terminal. */
const shownAlerts = 10
/** Most rows of a page. */
const pageRows = 200

export function shadowCommand(): Command {
  return new Command('shadow')
    .description('report how the decisions of a playbook in shadow agree with the live ones')
    .argument('<playbook>', 'name of the playbook with mode: shadow')
    .addOption(
      new Option('--since <duration>', 'how far to look back')
        .argParser(toDuration)
        .default(30 * 86_400_000, '30d'),
    )
    .option('--organization <code>', 'only alerts of this organization')
    .option('--json', 'print JSON, with all alerts')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the role reader.

Example:
  TOCSIN_KEY=toc_… tocsin shadow impossible-travel-shadow --since 14d

docs/how-to/try-in-shadow.md is a guide.`,
    )
    .action(runShadow)
}

async function runShadow(name: string, options: Options): Promise<void> {
  const client = serverClient(options.url)
  const path = `/playbooks/${encodeURIComponent(name)}/shadow`
  const span = new URLSearchParams({
    created_after: String(Math.max(0, Date.now() - options.since)),
    ...(options.organization !== undefined && { organization_code: options.organization }),
  })
  const report = await client.get<ShadowView>(`${path}?${span.toString()}`)
  const rows = async (more: Readonly<Record<string, string>>) =>
    await client.get<{ readonly data: readonly ShadowAlert[]; readonly next_cursor: string | null }>(
      `${path}/alerts?${new URLSearchParams({ ...Object.fromEntries(span), ...more }).toString()}`,
    )
  if (options.json !== true) {
    const { data } = await rows({ outcome: 'differs', limit: String(shownAlerts) })
    console.log(shadowLines(report, data).join('\n'))
    return
  }
  const all: ShadowAlert[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await rows({ limit: String(pageRows), ...(cursor !== undefined && { cursor }) })
    all.push(...page.data)
    cursor = page.next_cursor
  }
  console.log(printableJson({ ...report, rows: all }))
}

function toDuration(text: string): number {
  const ms = parseDurationMs(text)
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('write a duration such as 12h or 30d')
  return ms
}
