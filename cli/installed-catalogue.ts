import type { Catalogue } from '../core/registry/catalogue.ts'
import { discoverPlugins } from '../core/registry/discover-plugins.ts'
import { readConfig } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'

/** The catalogue of the plugins that a server started here would find. */
export async function installedCatalogue(): Promise<Catalogue> {
  const config = readConfig(processEnvironment())
  return discoverPlugins({ pluginsDir: config.pluginsDir, packages: config.plugins })
}
