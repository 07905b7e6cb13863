import { textAt } from 'tocsin/plugin'

/** A text object of a block as a person sees it: mark-up works only in the one kind of them. */
export const shownTextOf = (object: unknown): string => {
  const text = textAt(object, 'text') ?? ''
  return textAt(object, 'type') === 'mrkdwn' ? withMarkup(text) : text
}

/** A text as a person sees it: mentions and links always work, `*bold*` and the like unless they are switched off. */
export const shownText = (text: string, mrkdwn: boolean): string =>
  mrkdwn ? withMarkup(text) : unescaped(text)

const withMarkup = (text: string): string =>
  unescaped(text.replaceAll(/([*_~`])(?=\S)([^\n]*?\S)\1/g, '$2').replaceAll(/^&gt; ?/gm, '| '))

/** As the vendor reads what stands in angle brackets, and its three escapes. */
const unescaped = (text: string): string =>
  text
    .replaceAll(/<([^<>|]*)\|([^<>]*)>/g, '$2')
    .replaceAll(/<!?([^<>]*)>/g, '@$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
