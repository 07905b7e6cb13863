/** Finds plugins at run time and checks them; the catalogue of what they can do. */
export { buildCatalogue } from './build-catalogue.ts'
export { checkPlugin } from './check-plugin.ts'
export { discoverPlugins, loadSandbox } from './discover-plugins.ts'
export type { PluginSources } from './discover-plugins.ts'
