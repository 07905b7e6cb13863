import { Command } from 'commander'
import { restoreBackup } from '../../../server/backup/restore-backup.ts'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import type { RestoredRuns } from '../../../server/sqlite/file/restore-file.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'

interface RestoreOptions {
  readonly replace?: boolean
  readonly resume?: boolean
}

/** `tocsin restore`: a data directory from a backup. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('make a backup the content of the data directory; the server must not be running')
    .argument('<file>', 'what `tocsin backup` wrote')
    .option('--replace', 'put the data that is there aside')
    .option(
      '--resume',
      'let runs go on that were under way when the backup was made; they are ended otherwise',
    )
    .addHelpText(
      'after',
      `
Needs the master key that the backup was made with: master.key in the data directory, TOCSIN_MASTER_KEY, or one in the backup. Playbooks
are written into the playbooks folder where they are not there; files that are there stay as they are. Those that this user may not write
there are put into the data directory, and named.

What happened after the backup is not in it. Runs that were under way then have gone on since: with --resume they do all of that again. Runs that
had not begun then are in line, and begin when the server starts.`,
    )
    .action(restore)
}

async function restore(file: string, options: RestoreOptions): Promise<void> {
  const config = readConfig(processEnvironment())
  const restored = await restoreBackup(config, file, thisUser(), {
    replace: options.replace === true,
    resume: options.resume === true,
  })
  const { runs, playbooks, putAside } = restored
  console.log(
    `${paint.good('ok')} ${printable(config.dataDir)} is as it was backed up, with ${playbooks.written} playbook files written`,
  )
  if (putAside !== undefined) console.log(`   the database from before is ${printable(putAside)}`)
  for (const line of linesOfRuns(runs, config.apiPrefix)) console.log(`   ${line}`)
  for (const name of playbooks.kept)
    console.log(
      `${paint.warn('!')}  ${printable(name)} differs from the one in the backup, and stays as it is`,
    )
  const { aside, folder, asideFolder } = playbooks
  if (aside.length === 0) return
  for (const { name, reason } of aside)
    console.log(
      `${paint.warn('!')}  ${printable(name)} could not be written to ${printable(folder)} (${reason})`,
    )
  console.log(`   these lie in ${printable(asideFolder)}; as a user who may write there:`)
  console.log(`   cp -Rn ${quoted(asideFolder)}/. ${quoted(folder)}/ && rm -r ${quoted(asideFolder)}`)
}

function linesOfRuns({ ended, inLine }: RestoredRuns, apiPrefix: string): readonly string[] {
  const retry = `"$TOCSIN_URL/${apiPrefix}/runs/retry`
  const rest = `-H "Cookie: Session=$TOCSIN_KEY" -H 'Content-Type: application/json' -d '{"filter":{"error":"run_restored"}}'`
  return [
    ...(inLine > 0 ? [`${runsOf(inLine)} had not begun then: in line, to begin when the server starts`] : []),
    ...(ended > 0
      ? [
          `${runsOf(ended)} under way then: ended with run_restored, since there is no knowing what they have done in other systems after it. Look there.`,
          'Once the server runs, this tells what a retry would repeat (TOCSIN_KEY: that of an analyst):',
          `curl -s ${retry}/preview" ${rest}`,
          'and this retries them, 100 at a time, as long as `left` is more than 0:',
          `curl -s ${retry}" ${rest}`,
        ]
      : []),
  ]
}

const runsOf = (count: number): string => (count === 1 ? '1 run' : `${count} runs`)

/** For a shell. */
const quoted = (path: string): string => `'${printable(path, 4_096).replaceAll("'", `'\\''`)}'`
