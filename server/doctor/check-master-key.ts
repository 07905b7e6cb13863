import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { loadMasterKey } from '../secrets/master-key.ts'
import { createSecretBox } from '../secrets/secret-box.ts'
import { opensDatabase, readKeyVersion } from '../sqlite/master-key-check.ts'
import { ok, problem, problemOf, type Finding } from './finding.ts'

/** Whether there is a key that opens the secrets which are there, and nobody else can read it. */
export function checkMasterKey({ dataDir, masterKey }: Config): Finding {
  const check = 'master key'
  const database = join(dataDir, 'tocsin.db')
  const path = join(dataDir, 'master.key')
  const place = masterKey === undefined ? path : 'TOCSIN_MASTER_KEY'
  if (masterKey === undefined && !existsSync(path)) {
    if (!existsSync(database)) return ok(check, 'there is none yet; the first start makes it')
    return problem(
      check,
      `there is a database, and no ${path}`,
      `put the copy of the master key there (mode 600), or set TOCSIN_MASTER_KEY`,
    )
  }
  try {
    const key = loadMasterKey(dataDir, { TOCSIN_MASTER_KEY: masterKey?.reveal() }, readKeyVersion(database))
    if (!opensDatabase(database, createSecretBox(key)))
      return problem(
        check,
        `${place} is not the key that the database was made with`,
        'put the copy of the right one in its place',
      )
  } catch (error) {
    return problemOf(check, error, 'put a copy of the key in its place')
  }
  const { uid } = statSync(path, { throwIfNoEntry: false }) ?? { uid: undefined }
  const isForeign = masterKey === undefined && process.getuid !== undefined && uid !== process.getuid()
  return isForeign
    ? problem(check, `${path} belongs to another user (${uid})`, 'chown it to the user who runs Tocsin')
    : ok(check, `${place} opens the secrets that are there; have a copy of it apart from the backups`)
}
