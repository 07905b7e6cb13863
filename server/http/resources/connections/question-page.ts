import { createHash } from 'node:crypto'
import type { QuestionPage } from '../../../../core/inbound/question-page.ts'
import { Markup, markup } from '../../reference/markup.ts'
import type { Answer } from '../../routing/route.ts'

/** The page behind a link in a message: for anybody who was asked, without a script, a cookie or a sign-in. */
export function questionAnswer(page: QuestionPage): Answer {
  const { title, status, body } = shown(page)
  const { text } = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}</main>
</body>
</html>
`
  return { status, text, type: 'text/html; charset=utf-8', headers: { ...headers } }
}

interface Shown {
  readonly title: string
  readonly status: number
  readonly body: Markup
}

function shown(page: QuestionPage): Shown {
  const { state, message, answer, isOwn } = page
  const question = message === '' ? undefined : markup`<blockquote>${message}</blockquote>\n`
  switch (state) {
    case 'open':
      return { title: 'Confirm your answer', status: 200, body: markup`${question}${form(page)}` }
    case 'accepted':
      return {
        title: 'Answer recorded',
        status: 200,
        body: markup`${question}<p>You answered: <strong>${answer}</strong>. You can close this page.</p>\n`,
      }
    case 'answered':
      return {
        title: 'Already answered',
        status: 200,
        body: markup`${question}<p>${isOwn ? 'You answered' : 'The answer is'}: <strong>${answer}</strong>. The first answer counts and cannot be changed here.</p>\n`,
      }
    case 'decided':
      return {
        title: 'Already decided',
        status: 200,
        body: markup`${question}<p>Other people who were asked have decided. No answer is needed.</p>\n`,
      }
    case 'repeated':
      return {
        title: 'Already answered by you',
        status: 200,
        body: markup`${question}<p>You have already answered this question. Each person counts once.</p>\n`,
      }
    case 'late':
      return {
        title: 'Too late',
        status: 200,
        body: markup`${question}<p>The time to answer this question has passed. No answer is needed.</p>\n`,
      }
    case 'withdrawn':
      return {
        title: 'No longer needed',
        status: 200,
        body: markup`${question}<p>This question was withdrawn. No answer is needed.</p>\n`,
      }
    case 'pending':
      return {
        title: 'One moment',
        status: 503,
        body: markup`<p>This question is still being sent. Reload this page in a few seconds.</p>\n`,
      }
    case 'unknown':
      return {
        title: 'Link not valid',
        status: 404,
        body: markup`<p>This link matches no question. Open the whole link from the message, or ask the person who sent it.</p>\n`,
      }
  }
}

/** A person has to press the button: programs that open links do not answer. */
const form = ({ answer, timeoutAt }: QuestionPage): Markup => markup`<form method="post">
<p>Your answer: <strong>${answer}</strong></p>
<p><label for="comment">Comment (optional)</label></p>
<p><textarea id="comment" name="comment" rows="3" maxlength="2000"></textarea></p>
<p><button name="answer" value="confirmed">Send answer</button></p>
<p class="quiet">Not your answer? Open another link in the message.${
  timeoutAt === null
    ? ''
    : ` You can answer until ${new Date(timeoutAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`
}</p>
</form>
`

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #3a404b); --quiet: light-dark(#525b69, #a5aebd); --act: light-dark(#0a58ad, #7db7ff); }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem; }
blockquote { margin: 1rem 0; padding: .5rem 1rem; border-left: .25rem solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
strong { overflow-wrap: anywhere; }
textarea { box-sizing: border-box; width: 100%; font: inherit; }
button { padding: .6rem 1.2rem; border: 0; border-radius: .3rem; background: var(--act); color: light-dark(#fff, #10151d); font: inherit; cursor: pointer; }
.quiet { color: var(--quiet); font-size: .9rem; }
`

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  // The address contains the proof of the link. Without a referrer here, the form would have no origin.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
} as const
