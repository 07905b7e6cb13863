import { ConnectionError, SkillError, type HttpResponse } from 'tocsin/plugin'

const another =
  'make an incoming webhook on the page "Incoming Webhooks" of the app, and enter its address in the connection'

/** Statuses that say why nothing was posted, in one word of plain text. */
const hints: Readonly<Record<number, string>> = {
  400: 'The webhook refused the text; where it gives a word, that says why.',
  403: `An administrator does not let the webhook post to its channel, or its address is wrong: ${another}.`,
  404: `The webhook or its channel is not there any more: ${another}.`,
  410: `The channel of the webhook was archived: ${another}.`,
}

export const refusals: readonly number[] = Object.keys(hints).map(Number)

/**
 * Reads what a webhook answered: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors. Where
 * nothing is refused, only the plain text `ok` says that the text was posted.
 *
 * @throws ConnectionError where the webhook is no good, SkillError for a refused text and for an answer of somebody else
 */
export function checkPosted({ status, text }: HttpResponse): void {
  const hint = hints[status]
  if (hint !== undefined) {
    const [word] = /^[a-z_]{1,60}$/.exec(text.trim()) ?? ['no reason']
    const message = `the webhook answered ${status}: ${word}`
    if (status === 400) throw new SkillError('http_400', message, { hint })
    throw new ConnectionError(`http_${status}`, message, { hint })
  }
  if (text.trim() === 'ok') return
  const what = text.trimStart().startsWith('<') ? 'is a page of HTML' : "is not 'ok'"
  throw new SkillError('bad_response', `what answered is not the webhook: its answer ${what}`, {
    hint: 'check webhook_url: it must lead to the webhook itself, not to a sign-in page, a proxy or another system',
  })
}
