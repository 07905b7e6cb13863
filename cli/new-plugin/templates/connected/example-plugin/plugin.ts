import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { getItem } from './skills/get-item.ts'

export default definePlugin({
  name: 'example_plugin',
  title: 'Example Plugin',
  description: 'Looks up items by number.',
  connection,
  skills: [getItem],
})
