import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const own = realpathSync(fileURLToPath(import.meta.resolve('tocsin/plugin')))

/**
 * Where a module finds another `tocsin/plugin` than the one that runs; undefined where it finds the same, or none. Errors of another
 * copy are strangers here: a busy system would not be asked again.
 *
 * @param url Address of the module's file.
 */
export function otherTocsin(url: string): string | undefined {
  try {
    const used = realpathSync(createRequire(url).resolve('tocsin/plugin'))
    return used === own ? undefined : used
  } catch {
    return undefined
  }
}
