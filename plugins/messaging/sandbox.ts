import { serveSandbox, type ServedSandbox } from 'tocsin/plugin/testing'
import { Callbacks, signingSecret } from './sandbox/callbacks.ts'
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
  () => {
    const workspace = new Workspace()
    return {
      answer: { ...webApiRoutes(workspace), ...webhookRoutes(workspace) },
      controls: { workspace, callbacks: new Callbacks(workspace) },
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
