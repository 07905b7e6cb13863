import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findPlaybookFiles } from '../../core/playbook/read/find-files.ts'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import type { Playbook } from '../../core/playbook/language/playbook.ts'
import { recordPassingTests } from '../../core/playbook-test/record/verify.ts'
import type { Catalogue } from '../../core/registry/catalogue.ts'
import { readConfig } from '../../server/config/config.ts'
import { readIfThere } from '../playbooks-in.ts'
import { readGivenJson } from '../read-given.ts'

/** Makes a test file from the response of GET /runs/<id>, in a file, or in standard input for `-`. */
export async function recordTestFile(
  runFile: string,
  alertFile: string | undefined,
  catalogue: Catalogue,
): Promise<string> {
  const { value: run } = await readGivenJson(runFile)
  const alert = alertFile === undefined ? undefined : (await readGivenJson(alertFile)).value
  const name = (run as { readonly playbook?: unknown } | null)?.playbook
  const found = typeof name === 'string' ? await playbookNamed(name, catalogue) : undefined
  const folder = found === undefined ? readConfig(process.env).playbooksDir : dirname(found.path)
  return await recordPassingTests(run, {
    catalogue,
    alert,
    playbook: found?.playbook,
    // Tests are in the folder of their playbook.
    playbookFile: found === undefined ? `${String(name)}.yaml` : basename(found.path),
    loadPlaybook: (file) => readIfThere(join(folder, file)),
  })
}

/** From the playbooks folder; undefined if the playbook is missing or invalid. */
async function playbookNamed(
  name: string,
  catalogue: Catalogue,
): Promise<{ readonly path: string; readonly playbook: Playbook | undefined } | undefined> {
  if (!/^[a-z0-9-]+$/.test(name)) return undefined
  try {
    const files = await findPlaybookFiles(readConfig(process.env).playbooksDir)
    const path = files.find((file) => [`${name}.yaml`, `${name}.yml`].includes(basename(file)))
    return path === undefined
      ? undefined
      : { path, playbook: parsePlaybook(await readFile(path), { catalogue }).playbook }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
