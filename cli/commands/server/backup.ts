import { Command } from 'commander'
import { makeBackup } from '../../../server/backup/make-backup.ts'
import { paint } from '../../output/paint.ts'
import { printable } from '../../output/printable.ts'
import { configWithData, requireSqlite } from '../../with-stores.ts'
import { withMasterKey as keysOf } from '../../../server/secrets/open-secret-sources.ts'
import { thisUser } from '../../this-user.ts'

export function backupCommand(): Command {
  return new Command('backup')
    .description('back up the database and the playbooks into one file, also while the server runs')
    .argument('<file>', 'a new file')
    .option(
      '--with-master-key',
      'include the master key: anyone who can read the file can then read all secrets',
    )
    .addHelpText(
      'after',
      `
The file is a SQLite database, readable by its owner only, and whole as of one moment. The master key is not in it: keep one copy of
master.key (or of TOCSIN_MASTER_KEY) apart from the backups. \`tocsin restore\` needs both.

Example:
  tocsin backup /backups/tocsin-$(date +%F).db`,
    )
    .action(backUp)
}

async function backUp(file: string, options: { readonly withMasterKey?: boolean }): Promise<void> {
  const given = configWithData()
  requireSqlite(given, 'tocsin backup', 'back up the database with pg_dump (docs/backup.md)')
  const config = await keysOf(given)
  const withMasterKey = options.withMasterKey === true
  const { bytes, playbooks, connections } = await makeBackup(config, file, thisUser(), { withMasterKey })
  const size = bytes < 1_048_576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
  console.log(
    `${paint.good('ok')} ${printable(file)}: the database and ${count(playbooks, 'file')} of the playbooks folder, ${size}`,
  )
  if (withMasterKey) {
    console.log(
      `${paint.warn('!')}  it contains the master key: anyone who can read the file can read all secrets`,
    )
  } else {
    console.log(
      `   it does not contain the master key: without a copy of ${keyPlace(config)}, the secrets of ${count(connections, 'connection')} are lost`,
    )
  }
}

const keyPlace = ({ masterKey, dataDir }: ReturnType<typeof configWithData>): string =>
  masterKey === undefined ? printable(`${dataDir}/master.key`) : 'TOCSIN_MASTER_KEY'

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
