import type { SandboxCommand } from 'tocsin/plugin'
import type { CallbackReply, Callbacks } from './messages/callbacks.ts'
import { buttonsOf, showPost, type SandboxMessage } from './messages/show-message.ts'
import type { Workspace } from './workspace.ts'

/** Actions of people in the workspace. */
export function messagingCommands(workspace: Workspace, callbacks: Callbacks): readonly SandboxCommand[] {
  return [
    {
      usage: 'messages',
      description: 'lists the messages, oldest first',
      run: () =>
        [
          ...workspace.messages.map((message) => workspace.show(message)),
          ...workspace.posts.map(showPost),
        ].join('\n') || 'no messages yet',
    },
    {
      usage: 'click <message|e-mail> <answer>',
      description: 'press a button of a message, or of the newest question to a person',
      async run(which = '', answer = '') {
        const message = questionOf(workspace, which)
        const wanted = answer.toLowerCase()
        const buttons = buttonsOf(message)
        const button = buttons.find((one) =>
          [one.label, one.answer].some((text) => text?.toLowerCase() === wanted),
        )
        if (button === undefined) {
          const labels = buttons.map(({ label }) => `'${label}'`).join(', ')
          throw new Error(`message ${workspace.numberOf(message)} has the buttons ${labels}`)
        }
        const person = workspace.personIn(message.channel)?.email ?? message.channel
        return `${person} pressed '${button.label}', ${outcome(await callbacks.click(message, button.label))}`
      },
    },
    {
      usage: 'reply <message|e-mail> <text>',
      description: 'reply to a message, or write to the bot as a person',
      async run(which = '', text = '') {
        const place = which.includes('@') ? personOf(workspace, which) : messageOf(workspace, which)
        return `'${text}' was written, ${outcome(await callbacks.reply(place, text))}`
      },
    },
    {
      usage: 'app <events-url> <interactions-url>',
      description: "install a connection's manifest: clicks and replies are sent to its addresses",
      async run(events = '', interactions = '') {
        await callbacks.subscribe({ events, interactions })
        return 'the address for events answered the challenge'
      },
    },
  ]
}

const outcome = ({ status, body }: CallbackReply): string =>
  status === 200 ? 'and the platform accepted it' : `and the platform answered ${status}: ${body}`

function questionOf(workspace: Workspace, which: string): SandboxMessage {
  const message = which.includes('@') ? newestTo(workspace, which) : messageOf(workspace, which)
  if (message !== undefined && buttonsOf(message).length > 0) return message
  throw new Error(
    message === undefined ? `no question is waiting for ${which}` : `message ${which} has no buttons`,
  )
}

function newestTo(workspace: Workspace, email: string): SandboxMessage | undefined {
  const channel = workspace.conversationWith(personOf(workspace, email))
  return workspace.messages.findLast(
    (message) => message.channel === channel && buttonsOf(message).length > 0,
  )
}

function personOf(workspace: Workspace, email: string): string {
  const person = workspace.byEmail(email)
  if (person === undefined) throw new Error(`no one has the address ${email}`)
  return person.id
}

/** By its number or its `ts`. */
function messageOf(workspace: Workspace, number: string): SandboxMessage {
  const { messages } = workspace
  const message = messages[Number(number) - 1] ?? messages.find(({ ts }) => ts === number)
  if (message === undefined) throw new Error(`there is no message ${number}; 'messages' lists them`)
  return message
}
