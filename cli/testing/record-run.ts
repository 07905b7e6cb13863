import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parsePlaybook, type Playbook } from '../../core/playbook/index.ts'
import { recordPassingTests } from '../../core/playbook-test/index.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { readConfig } from '../../server/config.ts'
import { processEnvironment } from '../../server/environment.ts'
import { readIfThere } from '../playbooks-in.ts'
import { readGivenJson } from '../read-given.ts'

/** A file of tests made from the answer of GET /runs/<id> in a file, or in standard input for `-`. */
export async function recordRun(
  runFile: string,
  alertFile: string | undefined,
  catalogue: Catalogue,
): Promise<string> {
  const { value: run } = await readGivenJson(runFile)
  const alert = alertFile === undefined ? undefined : (await readGivenJson(alertFile)).value
  const name = (run as { readonly playbook?: unknown } | null)?.playbook
  const playbook = typeof name === 'string' ? await playbookNamed(name, catalogue) : undefined
  return await recordPassingTests(run, {
    catalogue,
    alert,
    playbook,
    playbookFile: `${String(name)}.yaml`,
    loadPlaybook: (file) => readIfThere(join(readConfig(process.env).playbooksDir, file)),
  })
}

/** From the playbooks folder; undefined where it is not there (any more) or has mistakes. */
async function playbookNamed(name: string, catalogue: Catalogue): Promise<Playbook | undefined> {
  if (!/^[a-z0-9-]+$/.test(name)) return undefined
  try {
    const source = await readFile(join(readConfig(processEnvironment()).playbooksDir, `${name}.yaml`))
    return parsePlaybook(source, { catalogue }).playbook
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
