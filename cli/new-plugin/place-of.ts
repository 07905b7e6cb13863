import { dirname, resolve, sep } from 'node:path'

/** The location of a new plugin. */
export interface PluginPlace {
  /** The parent folder. */
  readonly parent: string
  /** Whether it is a package with its own manifest, instead of a plugin of a checkout. */
  readonly isPackage: boolean
}

/**
 * The plugins folder if called in a checkout. Elsewhere, and below node_modules, whose content an update
 * deletes, it is a package.
 *
 * @param cwd current folder of the command
 * @param wanted the requested folder, if any
 * @param pluginsDir the plugins folder of this Tocsin
 */
export function pluginPlaceOf(cwd: string, wanted: string | undefined, pluginsDir: string): PluginPlace {
  const isCheckout = !pluginsDir.split(sep).includes('node_modules')
  const isInside = isCheckout && resolve(cwd) === dirname(pluginsDir)
  const parent = wanted === undefined && isInside ? pluginsDir : resolve(cwd, wanted ?? '.')
  return { parent, isPackage: !(isCheckout && parent === pluginsDir) }
}
