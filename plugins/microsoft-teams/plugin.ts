import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { askInChat } from './skills/ask.ts'
import { deleteChannelMessage } from './skills/delete-message.ts'
import { listTeamMembers } from './skills/list-members.ts'
import { postChannelMessage } from './skills/post-message.ts'
import { replyInThread } from './skills/reply-message.ts'
import { sendNotification } from './skills/send-notification.ts'
import { updateChannelMessage } from './skills/update-message.ts'

export default definePlugin({
  name: 'microsoft_teams',
  title: 'Microsoft Teams',
  description: 'Posts to channels of Microsoft Teams, and asks people in their personal chat.',
  connection,
  skills: [
    sendNotification,
    postChannelMessage,
    replyInThread,
    updateChannelMessage,
    deleteChannelMessage,
    listTeamMembers,
    askInChat,
  ],
})
