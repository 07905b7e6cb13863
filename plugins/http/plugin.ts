import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { get } from './skills/get.ts'
import { saveFile } from './skills/save-file.ts'
import { send } from './skills/send.ts'

export default definePlugin({
  name: 'http',
  title: 'HTTP',
  description: 'Requests to any web address or HTTP API.',
  connection,
  skills: [get, send, saveFile],
})
