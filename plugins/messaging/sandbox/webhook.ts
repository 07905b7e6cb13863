import { objectsAt, textAt } from 'tocsin/plugin'
import type { SandboxRoutes } from 'tocsin/plugin/testing'
import { parseObject } from '../parse-object.ts'
import { checkMessage } from './messages/check-message.ts'
import { rates } from './rates.ts'
import type { Workspace } from './workspace.ts'

/** What stands behind the address of the webhook: two ids and a secret. */
export const webhookPath = '/services/T0SANDBOX/B0WEBHOOK/q7Rk2LxSandboxOnly9fTz'

/** Answers are plain text. */
export function webhookRoutes(workspace: Workspace): SandboxRoutes {
  const refuse = rates()
  return {
    'POST /services/:team/:hook/:secret': ({ pathname, body }) => {
      if (pathname !== webhookPath) return { status: 404, text: 'no_service' }
      const tooMany = refuse('webhook')
      if (tooMany !== undefined) return { status: 429, headers: tooMany.headers ?? {}, text: 'rate_limited' }
      const message = parseObject(body)
      if (message === undefined) return { status: 400, text: 'invalid_payload' }
      const hasAttachments = objectsAt(message, 'attachments').length > 0
      const problem = checkMessage(hasAttachments ? { text: 'attachments', ...message } : message)
      const word = textAt(problem?.json, 'error')
      if (word !== null) return { status: 400, text: word }
      workspace.postToChannel(message)
      return { text: 'ok' }
    },
  }
}
