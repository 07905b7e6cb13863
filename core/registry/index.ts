/** Finds plugins at run time and checks them; the catalogue of what they can do. */
export { buildCatalogue } from './build-catalogue.ts'
export { checkEnriching } from './check-enriching.ts'
export { checkPlugin } from './check-plugin.ts'
export { discoverPlugins } from './discover-plugins.ts'
export { loadSandbox } from './load-sandbox.ts'
export type { PluginSources } from './plugin-modules.ts'
