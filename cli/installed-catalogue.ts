import type { Catalogue } from '../core/registry/catalogue.ts'
import { discoverPlugins } from '../core/registry/discover-plugins.ts'
import { readConfig } from '../server/config/config.ts'
import { processEnvironment } from '../server/config/environment.ts'

/** The plugins that a server would find in this environment. */
export async function installedCatalogue(): Promise<Catalogue> {
  const config = readConfig(processEnvironment())
  return discoverPlugins({ pluginsDir: config.pluginsDir, packages: config.plugins })
}
