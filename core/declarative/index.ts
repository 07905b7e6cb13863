/**
 * Plugins as data: `plugin.yaml` is read and checked (`read/`), by the keys of `language/`, and compiled to the same
 * `PluginDefinition` that a TypeScript plugin declares (`compile/`).
 */
export { openCheckedPlugins, shippedFile } from './checked-plugins.ts'
export type { CheckedPlugins } from './checked-plugins.ts'
export { isInPluginsFolder, loadOnce, loadPlugin, pluginFile, pluginFilesIn } from './load-plugin.ts'
export type { LoadedPlugin, LoadPluginOptions } from './load-plugin.ts'
export { compilePlugin } from './compile/compile-plugin.ts'
export { declaredSandbox, exampleProblems, inHaste } from './sandbox/declared-sandbox.ts'
export type { ExampleProblem } from './sandbox/declared-sandbox.ts'
export { readPlugin } from './read/read-plugin.ts'
export type { ReadPlugin, ReadPluginOptions } from './read/read-plugin.ts'
export type { PluginFiles } from './read-examples.ts'
export { pluginGrammar, pluginKeys, pluginSchema } from './language/plugin-keys.ts'
export type {
  DeclaredBody,
  DeclaredCheck,
  DeclaredConnection,
  DeclaredError,
  DeclaredNotFound,
  DeclaredPaging,
  DeclaredPart,
  DeclaredPath,
  DeclaredPlugin,
  DeclaredPoll,
  DeclaredRate,
  DeclaredRequest,
  DeclaredSkill,
  DeclaredVerify,
  Entries,
  OutputTemplate,
} from './language/declared.ts'
export type { DeclaredAuth } from './language/declared-auth.ts'
export type { DeclaredExample, DeclaredResponse } from './language/declared-example.ts'
