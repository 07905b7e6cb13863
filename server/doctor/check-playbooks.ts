import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPlaybookFiles } from '../../core/playbook/read/find-files.ts'
import { parseTogether } from '../../core/playbook/read/parse-together.ts'
import type { KnownNames } from '../../core/playbook/scope/context.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { ok, problem, problemOf, warning, type Finding } from './finding.ts'

/** Whether every file of the playbooks folder could come into force. */
export async function checkPlaybooks(
  folder: string,
  isNamed: boolean,
  catalogue: Catalogue,
  known?: KnownNames,
): Promise<Finding> {
  const check = 'playbooks'
  if (!existsSync(folder)) {
    const says = `the folder ${folder} is not there`
    const hint = 'make it, or let TOCSIN_PLAYBOOKS_DIR name the folder of your playbooks'
    return isNamed ? problem(check, says, hint) : warning(check, says, hint)
  }
  try {
    const paths = await findPlaybookFiles(folder)
    const files = await Promise.all(paths.map(async (file) => ({ file, source: await readFile(file) })))
    const bad = parseTogether(files, { catalogue, known }).filter(({ playbook }) => playbook === undefined)
    if (bad.length === 0) return ok(check, `${files.length} in ${folder}, without mistakes`)
    const first = bad.flatMap(({ problems }) => problems).find(({ severity }) => severity === 'error')
    const where = first === undefined ? '' : `: ${first.file}:${first.line} ${first.message}`
    const says = `${bad.length} of ${files.length} in ${folder} cannot come into force${where}`
    const isOfServer = first !== undefined && ['E304', 'E322', 'E323'].includes(first.code)
    const hint = isOfServer ? 'create it, or correct the playbook' : `run: tocsin validate '${folder}'`
    return warning(check, says, hint)
  } catch (error) {
    return problemOf(check, error, 'make the files readable for the user who runs Tocsin')
  }
}
