import type { Problem } from '../../playbook/problem.ts'
import type { Span } from '../../playbook/source-text.ts'

export interface QuickFix {
  /** What it does, for people. */
  readonly title: string
  readonly span: Span
  readonly text: string
}

/** Changes that are tried for one problem, at most: each reads the text once. */
const maxTried = 12

/**
 * What the hint of a problem says to do, as a change of the text. Only what leaves fewer problems than before is offered.
 *
 * @param check the problems of a text
 */
export function quickFixes(
  text: string,
  problem: Problem,
  span: Span,
  check: (text: string) => readonly Problem[],
): readonly QuickFix[] {
  const before = weigh(check(text))
  const fixes: QuickFix[] = []
  for (const fix of candidates(text, problem, span).slice(0, maxTried)) {
    if (fixes.some(({ title }) => title === fix.title)) continue
    const changed = text.slice(0, fix.span.start) + fix.text + text.slice(fix.span.end)
    const after = check(changed)
    const isSolved = !after.some(({ code, message }) => code === problem.code && message === problem.message)
    if (isSolved && weigh(after) < before) fixes.push(fix)
  }
  return fixes
}

const weigh = (problems: readonly Problem[]): number =>
  problems.reduce((sum, { severity }) => sum + (severity === 'error' ? 1000 : 1), 0)

function candidates(text: string, { message, hint = '' }: Problem, span: Span): readonly QuickFix[] {
  const meant = /did you mean (?:'([^']+)'|"([^"]+)"|`([^`]+)`|([^\s?]+))\?/.exec(hint)
  const word = meant?.slice(1).find((each) => each !== undefined)
  if (word !== undefined) return replacements(text, word, message, span)
  const written = /^(?:write|add) (.+)$/s.exec(hint)?.[1]
  if (written !== undefined) {
    const choices = written.split(/, or (?=\w+:|`)/).map((each) => each.replace(/^`(.*)`$/s, '$1'))
    return choices.flatMap((each) =>
      // What has a gap is for people to fill in.
      /[…<>]/.test(each)
        ? []
        : [...insertions(text, each, message, span), ...replacements(text, each, message, span)],
    )
  }
  return /^(?:remove|leave) /.test(hint) ? [removal(text, span)] : []
}

/** The whole place, the key alone, or the word that the message quotes. */
function replacements(text: string, by: string, message: string, span: Span): readonly QuickFix[] {
  const title = `Change to ${by}`
  const there = text.slice(span.start, span.end)
  const fixes: QuickFix[] = []
  const quoted = /['`"]([^'`"]+)['`"]/.exec(message)?.[1]
  const at = quoted === undefined ? -1 : there.indexOf(quoted)
  if (at >= 0) {
    const start = span.start + at
    fixes.push({ title, span: { start, end: start + quoted!.length }, text: by })
  }
  fixes.push({ title, span, text: by })
  const [, quote] = /^(["']).*\1$/s.exec(there) ?? []
  if (quote !== undefined) fixes.push({ title, span, text: quote + by + quote })
  // `write timeout: 5m` about a key that has a value of its own.
  const key = /^(\w+): /.exec(by)?.[1]
  if (key !== undefined && /^ *:/.test(text.slice(span.end)))
    fixes.push({ title: `Change to ${key}`, span, text: key })
  return fixes
}

/** A key that is missing in the map that begins at the span. */
function insertions(text: string, line: string, message: string, { start }: Span): readonly QuickFix[] {
  const key = /^(\w+):/.exec(line)?.[1]
  if (key === undefined || !/\b(?:needs?|is (?:missing|required))\b/.test(message)) return []
  const title = `Add ${line}`
  if (text[start] === '{') return [{ title, span: { start: start + 1, end: start + 1 }, text: ` ${line},` }]
  const indentation = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1))
  return [{ title, span: { start, end: start }, text: `${line}\n${indentation}` }]
}

/** The entry whose key stands there, with all that is below it. */
function removal(text: string, { start }: Span): QuickFix {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const indentation = start - from
  let end = text.indexOf('\n', start)
  while (end >= 0) {
    const [line = ''] = /^[^\n]*/.exec(text.slice(end + 1)) ?? []
    const depth = line.search(/\S/)
    if (end + 1 >= text.length || (depth >= 0 && depth <= indentation)) break
    end = text.indexOf('\n', end + 1)
  }
  const to = end < 0 ? text.length : end + 1
  return { title: 'Remove it', span: { start: from, end: to }, text: '' }
}
