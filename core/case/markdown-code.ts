import { escapeText } from '../errors/source-frame.ts'

/**
 * Text from alerts, people and other systems as Markdown, in which nothing of it is interpreted: inside of code there are no links,
 * mentions, references, HTML or other markup, in CommonMark and in what services make of it. A backslash would not do: several of
 * them look for links and mentions in what the reader sees.
 *
 * @param maxLength in characters; what is longer is cut, and says so
 */
export function markdownCode(text: string, maxLength = 1_000): string {
  const lines = shortened(text, maxLength).split(/\r\n|\r|\n/)
  return codeSpan(lines.map(escapeText).join(' '))
}

/** The same with its line breaks, as a block of its own. */
export function markdownBlock(text: string, maxLength = 10_000): string {
  const lines = shortened(text, maxLength)
    .split(/\r\n|\r|\n/)
    .map((line) => escapeText(line.replaceAll('\t', '    ')))
  const fence = '`'.repeat(Math.max(3, longestTicks(lines.join('\n')) + 1))
  return [`${fence}text`, ...lines, fence].join('\n')
}

/** Nothing but blanks would be an empty span: two backticks, which begin another one. */
function codeSpan(text: string): string {
  if (text.trim() === '') return '(empty)'
  const ticks = '`'.repeat(longestTicks(text) + 1)
  // A blank on both sides is taken away again by whoever renders it.
  const shown = /^[` ]|[` ]$/.test(text) ? ` ${text} ` : text
  return ticks + shown + ticks
}

const longestTicks = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))

const shortened = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}… (${text.length - maxLength} more)`
