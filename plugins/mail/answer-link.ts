import { createHmac } from 'node:crypto'
import { SkillError, verifyHmac, type LinkedQuestion, type Secret } from 'tocsin/plugin'

/** Names in the query of a link. */
const names = { checkpointId: 'q', by: 'p', value: 'a', signature: 's' } as const

/** The parts cannot run into each other. */
const signedText = ({ checkpointId, by, value }: LinkedQuestion): string =>
  `tocsin mail answer v1\n${JSON.stringify([checkpointId, by, value])}`

/**
 * A link that gives one answer of one person to one question. It holds no state: whether it is still of use is decided by
 * the question.
 *
 * @param address of the webhook, with its token
 */
export function answerLink(address: string, question: LinkedQuestion, secret: Secret): string {
  const url = new URL(address)
  for (const name of ['checkpointId', 'by', 'value'] as const)
    url.searchParams.set(names[name], question[name])
  const hmac = createHmac('sha256', secret.reveal()).update(signedText(question))
  url.searchParams.set(names.signature, hmac.digest('hex'))
  return url.href
}

/** @throws SkillError `link_invalid`, `signing_secret_missing`, `signature_missing`, `signature_invalid` */
export function readAnswerLink(
  query: Readonly<Record<string, string>>,
  secret: Secret | undefined,
): LinkedQuestion {
  const { q: checkpointId = '', p: by = '', a: value = '', s: signature } = query
  const question = { checkpointId, by, value }
  verifyHmac({ secret, signed: signedText(question), signature })
  if (checkpointId !== '' && by !== '' && value !== '') return question
  throw new SkillError('link_invalid', 'the link is not complete')
}
