import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { findMasterKey } from '../store/find-master-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { asOpeningError } from '../sqlite/file/opening-errors.ts'
import { opensDatabase } from '../sqlite/file/master-key-check.ts'
import { ok, problem, problemOf, type Finding } from './finding.ts'

/** Whether there is a key that opens the secrets which are there, and nobody else can read it. */
export function checkMasterKey(config: Config): Finding {
  const { dataDir, masterKey } = config
  const check = 'master key'
  const database = join(dataDir, 'tocsin.db')
  const path = join(dataDir, 'master.key')
  const place = masterKey === undefined ? path : 'TOCSIN_MASTER_KEY'
  if (masterKey === undefined && !existsSync(path) && !existsSync(database))
    return ok(check, 'there is none yet; the first start makes it')
  try {
    if (!opensDatabase(database, createSecretBox(findMasterKey(config)))) {
      return problem(
        check,
        `${place} is not the key that the database was made with`,
        'put the copy of the right one in its place',
      )
    }
  } catch (error) {
    return problemOf(check, asOpeningError(path, error), 'put a copy of the key in its place')
  }
  const { uid } = statSync(path, { throwIfNoEntry: false }) ?? { uid: undefined }
  const isForeign = masterKey === undefined && process.getuid !== undefined && uid !== process.getuid()
  return isForeign
    ? problem(check, `${path} belongs to another user (${uid})`, 'chown it to the user who runs Tocsin')
    : ok(check, `${place} opens the secrets that are there; have a copy of it apart from the backups`)
}
