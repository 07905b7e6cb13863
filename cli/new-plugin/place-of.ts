import { dirname, resolve, sep } from 'node:path'

/** Where a plugin is made. */
export interface Place {
  /** The folder in which that of the plugin is made. */
  readonly parent: string
  /** Whether it stands alone, with a manifest of its own; otherwise it becomes one of the plugins of a checkout, which are tested together. */
  readonly isPackage: boolean
}

/**
 * In the folder of a checkout it becomes one of its plugins; anywhere else, and below node_modules, where the next update would take it away, a
 * package.
 *
 * @param cwd Where the command is called.
 * @param wanted The folder that is asked for, if any.
 * @param pluginsDir That of this Tocsin.
 */
export function placeOf(cwd: string, wanted: string | undefined, pluginsDir: string): Place {
  const isCheckout = !pluginsDir.split(sep).includes('node_modules')
  const isInside = isCheckout && resolve(cwd) === dirname(pluginsDir)
  const parent = wanted === undefined && isInside ? pluginsDir : resolve(cwd, wanted ?? '.')
  return { parent, isPackage: !(isCheckout && parent === pluginsDir) }
}
