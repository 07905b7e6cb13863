import { definePlugin, type PluginDefinition } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { getItem } from './skills/get-item.ts'

const plugin: PluginDefinition = definePlugin({
  name: 'example_plugin',
  title: 'Example Plugin',
  description: 'Looks up items by number.',
  connection,
  skills: [getItem],
})

export default plugin
