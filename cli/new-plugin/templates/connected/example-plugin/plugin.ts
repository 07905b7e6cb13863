import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { getItem } from './skills/get-item.ts'

export default definePlugin({
  name: 'example_plugin',
  title: 'Example Plugin',
  description: 'Knows items by their number.',
  connection,
  skills: [getItem],
})
