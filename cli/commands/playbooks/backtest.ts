import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { BacktestView } from '../../../core/backtest/backtest-view.ts'
import { decisionChangeKinds } from '../../../core/backtest/changes.ts'
import { newInputPolicies } from '../../../core/backtest/replay-notes.ts'
import { NotFoundError, ValidationError } from '../../../core/errors/errors.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import { parseDurationMs } from '../../../core/playbook/language/durations.ts'
import type { ApiClient } from '../../api-client.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { backtestHtml } from '../../output/backtest-html.ts'
import { backtestLines, progressText } from '../../output/backtest-lines.ts'
import { printable, printableJson } from '../../output/printable.ts'
import { writeOutput } from '../../output/write-output.ts'
import { readGiven } from '../../read-given.ts'
import { serverClient, urlOption } from '../../server-client.ts'
import { stopSignal } from '../../stop-signal.ts'

interface Options {
  readonly since: number
  readonly limit: number
  readonly organization: string
  readonly newInput: string
  readonly failOn?: readonly FailReason[]
  readonly against?: string
  readonly resume?: string
  readonly json?: boolean
  readonly html?: string
  readonly url?: string
}

const failReasons = [...decisionChangeKinds.map((kind) => kind.replace('_', '-')), 'unjudged'] as const
type FailReason = (typeof failReasons)[number]

export function backtestCommand(): Command {
  return new Command('backtest')
    .description('run an edited playbook against recorded alerts and list the decisions that change')
    .argument('[playbook]', 'the edited playbook; it is compared with the live one of its name')
    .addOption(
      new Option('--since <duration>', 'how far to look back')
        .argParser(toDuration)
        .default(30 * 86_400_000, '30d'),
    )
    .addOption(
      new Option('--limit <alerts>', 'most alerts; the newest count').argParser(toLimit).default(500),
    )
    .option('--organization <code>', 'organization whose alerts are replayed', 'main')
    .addOption(
      new Option('--new-input <policy>', 'for calls and questions that were not recorded')
        .choices(newInputPolicies)
        .default('fail'),
    )
    .addOption(
      new Option('--fail-on <changes>', `exit with 1 on these: ${failReasons.join(', ')}`).argParser(
        toFailReasons,
      ),
    )
    .option('--against <playbook>', 'name of the live playbook, if the edited one has another name')
    .option('--resume <id>', 'continue a cancelled backtest instead of starting one')
    .option('--json', 'print JSON')
    .option('--html <file>', 'also write a report as a web page')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the role analyst. Nothing is written: other systems and people reply as
they did in the recorded runs. --new-input fail does not judge an alert whose reply is unknown, assume takes the example of the
skill, live lets read-only skills make real calls. Ctrl-C cancels.

Examples:
  TOCSIN_KEY=toc_… tocsin backtest playbooks/impossible-travel.yaml --since 14d
  tocsin backtest travel.yaml --fail-on new-action,lost-action,verdict    for CI

docs/how-to/backtest-a-change.md is a guide.`,
    )
    .action(runBacktest)
}

async function runBacktest(file: string | undefined, options: Options): Promise<void> {
  const client = serverClient(options.url)
  const begun =
    options.resume === undefined ? await start(client, file, options) : await resume(client, options.resume)
  const ended = await followed(client, begun.backtest_id)
  if (options.html !== undefined) await writeOutput(options.html, backtestHtml(ended))
  console.log(options.json === true ? printableJson(ended) : backtestLines(ended).join('\n'))
  if (ended.status !== 'completed' || failing(ended, options.failOn ?? [])) throw new Exit(exitCodes.failed)
}

async function start(client: ApiClient, file: string | undefined, options: Options): Promise<BacktestView> {
  if (file === undefined)
    throw new ValidationError('playbook_missing', 'a playbook is needed', [], {
      hint: 'tocsin backtest playbooks/impossible-travel.yaml',
    })
  const source = new TextDecoder().decode(await readGiven(file))
  const name = options.against ?? (await nameIn(client, file, source))
  const request = {
    organization_code: options.organization,
    source,
    created_after: Date.now() - options.since,
    limit: options.limit,
    new_input: options.newInput,
  }
  const path = `/playbooks/${encodeURIComponent(name)}/backtests`
  return await client.post<BacktestView>(path, request).catch((error: unknown) => {
    throw isNotFound(error) ? notLive(name) : error
  })
}

const isNotFound = (error: unknown): boolean =>
  error instanceof TocsinError && error.code === 'playbook_not_found'

const notLive = (name: string): NotFoundError =>
  new NotFoundError('playbook_not_found', `the server has no playbook '${printable(name)}' to compare with`, {
    hint: 'name the live playbook with --against',
  })

const resume = async (client: ApiClient, id: string): Promise<BacktestView> =>
  await client.post<BacktestView>(`/backtests/${encodeURIComponent(id)}/resume`, {})

interface Checked {
  readonly name: string | null
  readonly problems: readonly {
    readonly severity: string
    readonly line: number
    readonly code: string
    readonly message: string
  }[]
}

/** The name that the server reads in the source, with its plugins and the playbooks that it calls. */
async function nameIn(client: ApiClient, file: string, source: string): Promise<string> {
  const { name, problems } = await client.post<Checked>('/playbooks/validate', { source })
  if (name !== null) return name
  const errors = problems.filter(({ severity }) => severity === 'error')
  const lines = errors.slice(0, 5).map(({ line, code, message }) => `\n  ${line}: ${code} ${message}`)
  throw new ValidationError(
    'playbook_invalid',
    `the server finds errors in ${printable(file)}:${lines.join('')}`,
    [],
    {
      hint: `tocsin validate ${printable(file)}`,
    },
  )
}

const pollMs = 1_000

/** Shows the progress until the end. Ctrl-C cancels. */
async function followed(client: ApiClient, id: string): Promise<BacktestView> {
  const path = `/backtests/${encodeURIComponent(id)}`
  let isCancelled = false
  void stopSignal().then(() => (isCancelled = true))
  for (let delayMs = 100; ; delayMs = Math.min(pollMs, delayMs * 2)) {
    const now = await client.get<BacktestView>(`${path}?rows=false`)
    if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${progressText(now)}`)
    if (now.status === 'running' && isCancelled) await client.post(`${path}/cancel`, {})
    else if (now.status !== 'running') break
    else await sleep(delayMs)
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001B[K')
  return await client.get<BacktestView>(path)
}

const failing = ({ changes, unjudged }: BacktestView, failOn: readonly FailReason[]): boolean =>
  failOn.includes('unjudged') && unjudged > 0
    ? true
    : decisionChangeKinds.some((kind) => changes[kind] > 0 && failOn.includes(kind.replace('_', '-')))

function toDuration(text: string): number {
  const ms = parseDurationMs(text)
  if (ms === undefined || ms <= 0) throw new InvalidArgumentError('write a duration such as 12h or 30d')
  return ms
}

function toLimit(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000) return Number(text)
  throw new InvalidArgumentError('It must be a number from 1 to 1000.')
}

function toFailReasons(text: string): readonly FailReason[] {
  const given = text.split(',').map((each) => each.trim())
  const unknown = given.find((each) => !failReasons.includes(each))
  if (unknown === undefined) return given
  throw new InvalidArgumentError(`'${printable(unknown)}' is not one of ${failReasons.join(', ')}`)
}
