import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { checkpoint } from './skills/checkpoint.ts'
import { sendMessage } from './skills/send-message.ts'

export default definePlugin({
  name: 'messaging',
  title: 'Team messaging',
  description: 'Asks people to confirm suspicious activity in a direct message, and posts to a channel.',
  connection,
  skills: [checkpoint, sendMessage],
})
