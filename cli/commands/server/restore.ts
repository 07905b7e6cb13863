import { Command } from 'commander'
import { restoreBackup } from '../../../server/backup/restore-backup.ts'
import { readConfig } from '../../../server/config/config.ts'
import { processEnvironment } from '../../../server/config/environment.ts'
import { withMasterKey } from '../../../server/secrets/open-secret-sources.ts'
import type { RestoredRuns } from '../../../server/sqlite/file/restore-file.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { thisUser } from '../../this-user.ts'
import { requireSqlite } from '../../with-stores.ts'

interface RestoreOptions {
  readonly replace?: boolean
  readonly resume?: boolean
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('restore a backup into the data directory; the server must not be running')
    .argument('<file>', 'file written by `tocsin backup`')
    .option('--replace', 'move existing data aside')
    .option('--resume', 'resume the runs that were active at the backup; default: end them')
    .addHelpText(
      'after',
      `
Needs the master key of the backup: master.key in the data directory, TOCSIN_MASTER_KEY, or a key in the backup. Writes missing
playbooks into the playbooks folder and keeps existing files. Playbooks that this user cannot write there go into the data
directory and are listed.

The backup does not contain what happened after it. Runs that were active then have continued since: with --resume they repeat
all of that. Runs that had not started are queued and start with the server.`,
    )
    .action(restore)
}

async function restore(file: string, options: RestoreOptions): Promise<void> {
  const given = readConfig(processEnvironment())
  requireSqlite(given, 'tocsin restore', 'restore a dump with pg_restore (docs/backup.md)')
  const config = await withMasterKey(given)
  const restored = await restoreBackup(config, file, thisUser(), {
    replace: options.replace === true,
    resume: options.resume === true,
  })
  const { runs, playbooks, putAside } = restored
  console.log(
    `${paint.good('ok')} ${printable(config.dataDir)} is restored; ${playbooks.written} playbook files were written`,
  )
  if (putAside !== undefined) console.log(`   the previous database is now ${printable(putAside)}`)
  for (const line of linesOfRuns(runs, config.apiPrefix)) console.log(`   ${line}`)
  for (const name of playbooks.kept)
    console.log(`${paint.warn('!')}  ${printable(name)} differs from the backup and was not changed`)
  const { aside, folder, asideFolder } = playbooks
  if (aside.length === 0) return
  for (const { name, reason } of aside)
    console.log(
      `${paint.warn('!')}  ${printable(name)} could not be written to ${printable(folder)} (${reason})`,
    )
  console.log(`   they are in ${printable(asideFolder)}; to move them, run as a user with write access:`)
  console.log(`   cp -Rn ${quoted(asideFolder)}/. ${quoted(folder)}/ && rm -r ${quoted(asideFolder)}`)
}

function linesOfRuns({ ended, inLine }: RestoredRuns, apiPrefix: string): readonly string[] {
  const retry = `"$TOCSIN_URL/${apiPrefix}/runs/retry`
  const rest = `-H "Cookie: Session=$TOCSIN_KEY" -H 'Content-Type: application/json' -d '{"filter":{"error":"run_restored"}}'`
  return [
    ...(inLine > 0 ? [`${runsOf(inLine)} had not started at the backup: queued, start with the server`] : []),
    ...(ended > 0
      ? [
          `${runsOf(ended)} active at the backup: ended with run_restored, because their later effects in other systems are unknown. Check there.`,
          'When the server runs, preview what a retry would repeat (TOCSIN_KEY: the key of an analyst):',
          `curl -s ${retry}/preview" ${rest}`,
          'and retry them, 100 at a time, while `left` is above 0:',
          `curl -s ${retry}" ${rest}`,
        ]
      : []),
  ]
}

const runsOf = (count: number): string => (count === 1 ? '1 run' : `${count} runs`)

/** Quoted for a shell. */
const quoted = (path: string): string => `'${printable(path, 4_096).replaceAll("'", `'\\''`)}'`
