import { statSync } from 'node:fs'
import { NotFoundError } from '../../core/errors/errors.ts'
import type { Log } from '../../core/ports/log.ts'
import type { Config } from './config.ts'

/**
 * A playbooks folder that was named and is not there is a mistake: every alert would be investigated by other playbooks than its
 * operator means. Without the default one the server works, and says so.
 *
 * @throws NotFoundError `playbooks_dir_missing`
 */
export function requirePlaybooksDir(
  { playbooksDir, playbooksDirNamed }: Pick<Config, 'playbooksDir' | 'playbooksDirNamed'>,
  log: Log,
): void {
  const found = statSync(playbooksDir, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) return
  const what = found === undefined ? 'is not there' : 'is not a folder'
  if (playbooksDirNamed || found !== undefined) {
    throw new NotFoundError('playbooks_dir_missing', `the playbooks folder ${playbooksDir} ${what}`, {
      hint: 'set TOCSIN_PLAYBOOKS_DIR to the folder of your playbooks, make that folder, or leave the variable unset for ./playbooks',
    })
  }
  log.warn(
    { folder: playbooksDir },
    'the playbooks folder is not there: alerts are investigated by playbooks that are made for them',
  )
}
