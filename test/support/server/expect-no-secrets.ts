import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { namesOfSecrets } from '../../../core/plugin/testing/failures/describe-failures.ts'
import type { Catalogue } from '../../../core/registry/catalogue.ts'

/** All forms in which a text may be written. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}

/** Shorter ones occur everywhere by chance. */
const leastSecret = 8

/** The secrets among the settings of a sandbox. */
export function secretsOf(
  catalogue: Catalogue,
  plugin: string,
  settings: Readonly<Record<string, unknown>>,
): readonly string[] {
  const definition = catalogue.connection(plugin)
  const names = definition === undefined ? [] : namesOfSecrets(definition.settings)
  return names
    .map((name) => settings[name])
    .filter((value) => typeof value === 'string' && value.length >= leastSecret) as string[]
}

/** In no file below the folder, in any form. */
export async function expectNoSecrets(folder: string, secrets: readonly string[]): Promise<void> {
  const forms = secrets.flatMap(formsOf)
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path)
    for (const form of forms) expect(content.includes(form), `${path} holds ${form}`).to.equal(false)
  }
}
