import { definePlugin } from 'tocsin/plugin'
import { connection } from './connection.ts'
import { askByMail } from './skills/ask-by-mail.ts'
import { deleteMessage } from './skills/delete-message.ts'
import { flagMessage } from './skills/flag-message.ts'
import { getMessage } from './skills/get-message.ts'
import { listMailboxes } from './skills/list-mailboxes.ts'
import { moveMessage } from './skills/move-message.ts'
import { saveFile } from './skills/save-file.ts'
import { searchMessages } from './skills/search-messages.ts'
import { sendMail } from './skills/send-mail.ts'

export default definePlugin({
  name: 'mail',
  title: 'Mail',
  description:
    'Reads a mailbox over IMAP, for example that for reported phishing, sends mail over SMTP and asks people by mail.',
  connection,
  skills: [
    askByMail,
    listMailboxes,
    searchMessages,
    getMessage,
    saveFile,
    moveMessage,
    flagMessage,
    deleteMessage,
    sendMail,
  ],
})
