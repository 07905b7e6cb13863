import { serveSandbox, type ServedSandbox, type SandboxRoutes } from 'tocsin/plugin/testing'
import { Callbacks, signingSecret, urlsIn } from './sandbox/messages/callbacks.ts'
import { messagingCommands } from './sandbox/commands.ts'
import { messagingFaults } from './sandbox/faults.ts'
import { botToken } from './sandbox/tokens.ts'
import { webApiRoutes } from './sandbox/web-api.ts'
import { Workspace } from './sandbox/workspace.ts'
import { objectsAt, textAt } from 'tocsin/plugin'
import { parseObject } from './parse-object.ts'
import { messageProblem } from './sandbox/messages/check-message.ts'
import { rates } from './sandbox/rates.ts'

/** An emulated workspace, with people who press buttons and write replies on command. */
export type MessagingSandbox = ServedSandbox<{
  readonly workspace: Workspace
  readonly callbacks: Callbacks
}>

export default serveSandbox(
  (tell) => {
    const workspace = new Workspace(tell)
    const callbacks = new Callbacks(workspace)
    return {
      answer: { ...webApiRoutes(workspace), ...webhookRoutes(workspace) },
      controls: { workspace, callbacks },
      faults: messagingFaults,
      commands: messagingCommands(workspace, callbacks),
      install: (manifest: unknown) => callbacks.subscribe(urlsIn(manifest)),
    }
  },
  (url) => ({
    webhook_url: url + webhookPath,
    channel_name: '#security-alerts',
    bot_token: botToken,
    signing_secret: signingSecret,
    messaging_api_url: `${url}/api`,
  }),
)

/** Path of the webhook: two ids and a secret. */
const webhookPath = '/services/T0SANDBOX/B0WEBHOOK/q7Rk2LxSandboxOnly9fTz'

/** Webhook responses are plain text. */
function webhookRoutes(workspace: Workspace): SandboxRoutes {
  const refuse = rates()
  return {
    'POST /services/:team/:hook/:secret': ({ pathname, body }) => {
      if (pathname !== webhookPath) return { status: 404, text: 'no_service' }
      const tooMany = refuse('webhook')
      if (tooMany !== undefined) return { status: 429, headers: tooMany.headers ?? {}, text: 'rate_limited' }
      const message = parseObject(body)
      if (message === undefined) return { status: 400, text: 'invalid_payload' }
      const hasAttachments = objectsAt(message, 'attachments').length > 0
      const problem = messageProblem(hasAttachments ? { text: 'attachments', ...message } : message)
      const word = textAt(problem?.json, 'error')
      if (word !== null) return { status: 400, text: word }
      workspace.postToChannel(message)
      return { text: 'ok' }
    },
  }
}
