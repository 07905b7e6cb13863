import { serveSandbox, type ServedSandbox } from 'tocsin/plugin/testing'
import { Callbacks, signingSecret } from './sandbox/messages/callbacks.ts'
import { commandsOf } from './sandbox/commands.ts'
import { faults } from './sandbox/faults.ts'
import { urlsIn } from './sandbox/messages/urls-in.ts'
import { botToken } from './sandbox/tokens.ts'
import { webApiRoutes } from './sandbox/web-api.ts'
import { webhookPath, webhookRoutes } from './sandbox/webhook.ts'
import { Workspace } from './sandbox/workspace.ts'

/** A workspace of the messaging system, with people who press buttons and write replies when they are told to. */
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
      faults,
      commands: commandsOf(workspace, callbacks),
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
