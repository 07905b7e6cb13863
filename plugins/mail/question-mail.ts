import { answerLink, type LinkedQuestion, type Secret } from 'tocsin/plugin'
import { plainLine, plainLines } from './text.ts'

/** A question to send. */
export interface MailedQuestion {
  readonly to: string
  readonly subject?: string | undefined
  readonly message: string
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly checkpoint_id: string
  readonly answers: readonly string[]
}

/** How answer links are made. */
export interface LinkMaker {
  /** Of the webhook, with its token. */
  readonly address: string
  readonly secret: Secret
}

/** Id of the only person who may answer, as used in links and answers. */
export const askedBy = ({ to }: MailedQuestion): string => to.toLowerCase()

export interface QuestionContent {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The mail of a question, or its reminder. Everything in the question may come from an attacker. */
export function questionContent(
  asked: MailedQuestion,
  links: LinkMaker,
  isReminder = false,
): QuestionContent {
  const subject = `${isReminder ? 'Reminder: ' : ''}${plainLine(asked.subject ?? 'A question for you', 200)}`
  const message = plainLines(asked.message).trim()
  const choices = asked.answers.map((value) => {
    const question: LinkedQuestion = { checkpointId: asked.checkpoint_id, by: askedBy(asked), value }
    const label = Object.hasOwn(asked.labels ?? {}, value) ? (asked.labels?.[value] ?? value) : value
    return { label: plainLine(label, 200), url: answerLink(links.address, question, links.secret) }
  })
  const { origin } = new URL(links.address)
  const note =
    `Each link opens a page of ${origin}, where you confirm the answer. ` +
    'The question is for you alone: do not forward this mail, because its links answer in your name.'
  return {
    subject,
    text: [
      quoted(message),
      'Your answer:',
      ...choices.map(({ label, url }) => `${label}:\n${url}`),
      note,
    ].join('\n\n'),
    html: htmlOf(message, choices, note),
  }
}

/** Marked, so that its lines cannot be mistaken for Tocsin's own text. */
const quoted = (message: string): string =>
  message
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

function htmlOf(
  message: string,
  choices: readonly { readonly label: string; readonly url: string }[],
  note: string,
): string {
  const button =
    'display:inline-block;margin:4px 8px 4px 0;padding:10px 18px;border:1px solid #0a58ad;border-radius:4px'
  const links = choices.map(
    ({ label, url }) => `<a style="${button}" href="${escaped(url)}">${escaped(label)}</a>`,
  )
  return [
    '<!doctype html><html><body style="font-family:sans-serif">',
    `<blockquote style="white-space:pre-wrap">${escaped(message)}</blockquote>`,
    `<p>${links.join('\n')}</p>`,
    `<p style="color:#525b69;font-size:small">${escaped(note)}</p>`,
    '</body></html>',
  ].join('\n')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)
