import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { ConflictError } from '../../../core/errors/errors.ts'
import { TocsinError } from '../../../core/plugin/index.ts'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import { gitState } from '../../../server/playbooks-folder/git-state.ts'
import type { ApiClient } from '../../api-client.ts'
import { Exit, exitCodes } from '../../exit-codes.ts'
import { paint } from '../../output/paint.ts'
import { printable, printableLines } from '../../output/printable.ts'
import {
  compareSets,
  pathInFolder,
  readLocal,
  unifiedDiff,
  type PlaybookDifference,
  type RemotePlaybook,
} from '../../playbook-set/local-playbooks.ts'
import { shortestPath } from '../../playbook-files.ts'
import { serverClient, urlOption } from '../../server-client.ts'

export function playbooksCommand(): Command {
  return new Command('playbooks')
    .description('compare a folder of playbooks with a server, push and pull')
    .addCommand(pushCommand())
    .addCommand(pullCommand())
    .addCommand(diffCommand())
    .addCommand(reloadCommand())
}

const folderArgument = ['[folder]', 'folder of the playbooks; default: TOCSIN_PLAYBOOKS_DIR'] as const

const guide = '\ndocs/how-to/playbooks-from-a-repository.md is a guide.'

interface PushOptions {
  readonly dryRun?: boolean
  readonly prune?: boolean
  readonly reason?: string
  readonly url?: string
}

function pushCommand(): Command {
  return new Command('push')
    .description('publish the playbooks of a folder on a server, all or none')
    .argument(...folderArgument)
    .option('--dry-run', 'only check, and list what would change')
    .option('--prune', 'also delete the playbooks of the server that are not in the folder')
    .option('--reason <text>', 'why, for the list of versions and the audit log')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the permission playbooks:write. The playbooks are validated together first.
The audit log names the commit if the folder is a git checkout.

Example:
  TOCSIN_KEY=toc_… tocsin playbooks push playbooks --url https://tocsin.example --reason "fewer questions"
${guide}`,
    )
    .action(push)
}

interface Applied {
  readonly hash: string
  readonly data: readonly {
    readonly name: string
    readonly outcome: 'created' | 'changed' | 'unchanged' | 'deleted'
    readonly file: string | null
    readonly problems: readonly { readonly line: number; readonly code: string; readonly message: string }[]
  }[]
}

async function push(given: string | undefined, { dryRun = false, prune = false, reason, url }: PushOptions) {
  const client = serverClient(url)
  const folder = given ?? ownFolder()
  const local = await readLocal(folder)
  const { revision } = await gitState(folder)
  const body = {
    playbooks: local.map(({ file, source }) => ({ file, source })),
    prune,
    dry_run: dryRun,
    ...(reason !== undefined && { reason }),
    ...(revision !== null && { revision }),
  }
  const { data } = await client.post<Applied>('/playbook-set', body)
  for (const { name, outcome, file, problems } of data) {
    if (outcome !== 'unchanged')
      console.log(`${paint[outcome === 'deleted' ? 'bad' : 'good'](outcome.padEnd(8))} ${printable(name)}`)
    for (const { line, code, message } of problems)
      console.log(paint.warn(`  ${printable(file ?? name)}:${line} ${code} ${printable(message, 400)}`))
  }
  const count = (wanted: string) => data.filter(({ outcome }) => outcome === wanted).length
  const counts = ['created', 'changed', 'deleted', 'unchanged'].map((each) => `${count(each)} ${each}`)
  console.log(`${counts.join(', ')}${dryRun ? ' (dry run: nothing was published)' : ''}`)
}

interface PullOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly url?: string
}

function pullCommand(): Command {
  return new Command('pull')
    .description('write the published playbooks of a server to a folder')
    .argument(...folderArgument)
    .option('--dry-run', 'only list what would change')
    .option('--force', 'also overwrite local files whose content the server has never had')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the role reader. A local file is only overwritten if its content is an earlier
version of the playbook on the server, so no local change is lost. Files that are only local stay.

Example:
  TOCSIN_KEY=toc_… tocsin playbooks pull playbooks --url https://tocsin.example
${guide}`,
    )
    .action(pull)
}

async function pull(given: string | undefined, { dryRun = false, force = false, url }: PullOptions) {
  const client = serverClient(url)
  const folder = given ?? ownFolder()
  await mkdir(folder, { recursive: true })
  const { data } = await client.get<PublishedSet>('/playbook-set')
  const local = await readLocal(folder)
  const differences = compareSets(local, data).filter(({ remote }) => remote !== undefined)
  const taken = new Set(local.map(({ file }) => file))
  const conflicts: string[] = []
  for (const each of differences) {
    // A local file with another name may be in the place.
    const isTaken = each.local === undefined && taken.has(each.file)
    if (isTaken || !(await isKnown(client, each))) conflicts.push(each.file)
  }
  if (conflicts.length > 0 && !force)
    throw new ConflictError(
      'local_changes',
      `these files have changes that the server does not know:\n  ${conflicts.map((each) => printable(each)).join('\n  ')}`,
      { hint: 'push or commit them first, or pull with --force to overwrite them' },
    )
  const writes = differences.map(({ local, remote }) => ({
    path: local === undefined ? pathInFolder(folder, remote!.file) : join(folder, local.file),
    source: remote!.source,
    outcome: local === undefined ? 'created' : 'changed',
  }))
  for (const { path, source, outcome } of writes) {
    if (!dryRun) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, source)
    }
    console.log(`${paint.good(outcome.padEnd(8))} ${printable(path)}`)
  }
  const note = dryRun ? ' (dry run: nothing was written)' : ''
  console.log(`${writes.length} of ${data.length} playbooks written${note}`)
}

interface PublishedSet {
  readonly data: readonly RemotePlaybook[]
}

/** Whether the server has the local content, as an earlier version. */
async function isKnown(client: ApiClient, { local, name }: PlaybookDifference): Promise<boolean> {
  if (local === undefined) return true
  try {
    return (await client.get<{ readonly name: string }>(`/playbooks/${local.hash}`)).name === name
  } catch (error) {
    if (error instanceof TocsinError && error.code === 'playbook_not_found') return false
    throw error
  }
}

function diffCommand(): Command {
  return new Command('diff')
    .description('show what a push would change, as a unified diff')
    .argument(...folderArgument)
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the role reader. Exits with 1 if there are differences.

Example:
  TOCSIN_KEY=toc_… tocsin playbooks diff playbooks --url https://tocsin.example
${guide}`,
    )
    .action(diff)
}

async function diff(given: string | undefined, { url }: { readonly url?: string }) {
  const client = serverClient(url)
  const local = await readLocal(given ?? ownFolder())
  const { data } = await client.get<PublishedSet>('/playbook-set')
  const differences = compareSets(local, data)
  for (const difference of differences) process.stdout.write(colored(printableLines(unifiedDiff(difference))))
  if (differences.length > 0) throw new Exit(exitCodes.failed)
}

const colored = (patch: string): string =>
  patch
    .split('\n')
    .map((line) => (line.startsWith('+') ? paint.good(line) : line.startsWith('-') ? paint.bad(line) : line))
    .join('\n')

function reloadCommand(): Command {
  return new Command('reload')
    .description('have a server publish changed files of its playbooks folder now')
    .option(...urlOption)
    .addHelpText(
      'after',
      `
Asks a running server; set TOCSIN_KEY to an API key with the permission playbooks:write for all organizations. Exits with 1 if the
change is refused.`,
    )
    .action(reload)
}

interface ReloadedView {
  readonly published: readonly string[]
  readonly removed: readonly string[]
  readonly refused_change: {
    readonly reason: string
    readonly problems: readonly {
      readonly file: string
      readonly line: number
      readonly code: string
      readonly message: string
    }[]
  } | null
}

async function reload({ url }: { readonly url?: string }) {
  const {
    published,
    removed,
    refused_change: refused,
  } = await serverClient(url).post<ReloadedView>('/playbook-folder/reload', undefined)
  if (refused === null) {
    console.log(`${published.length} published, ${removed.length} deleted`)
    return
  }
  console.log(paint.bad(`the change of the folder is not published (${refused.reason})`))
  for (const { file, line, code, message } of refused.problems)
    console.log(`  ${printable(file)}:${line} ${code} ${printable(message, 400)}`)
  throw new Exit(exitCodes.failed)
}

const ownFolder = (): string => shortestPath(readConfig(processEnvironment()).playbooksDir)
