import type { InboundReply, InboundRequest, InboundResult, Secret } from 'tocsin/plugin'
import { readAnswerLink } from '../answer-link.ts'

interface LinkSettings {
  readonly link_secret?: Secret | undefined
}

const maxComment = 2_000

/** Somebody opened a link, maybe a mail scanner: nothing is answered. */
export const showQuestion = ({ query }: InboundRequest, { link_secret }: LinkSettings): InboundReply => ({
  question: readAnswerLink(query, link_secret),
})

/** The button on the page of a link was pressed. Without it, the page is shown again. */
export function readAnswer({ query, text }: InboundRequest, { link_secret }: LinkSettings): InboundResult {
  const question = readAnswerLink(query, link_secret)
  const form = new URLSearchParams(text)
  const reply = { question }
  if (form.get('answer') !== 'confirmed') return { reply }
  const comment = (form.get('comment') ?? '').replaceAll('\r\n', '\n').trim().slice(0, maxComment)
  return { reply, answers: [{ ...question, ...(comment !== '' && { text: comment.toWellFormed() }) }] }
}
