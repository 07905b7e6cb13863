import type { Problem } from '../../playbook/language/problem.ts'
import type { Span } from '../../playbook/language/source-text.ts'

export interface QuickFix {
  /** What it does, for people. */
  readonly title: string
  readonly span: Span
  readonly text: string
}

/** Changes that are tried for one problem, at most: each reads the text once. */
const maxTried = 12

/**
 * What the hint of a problem says to do, as a change of the text. Only what solves the problem is offered, and makes nothing worse: a word
 * that was meant may bring up what could not be seen before.
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
  const isWord = meantIn(problem.hint ?? '').length > 0
  const fixes: QuickFix[] = []
  let likely: QuickFix | undefined
  for (const fix of candidates(text, problem, span).slice(0, maxTried)) {
    if (fixes.some(({ title }) => title === fix.title)) continue
    const changed = text.slice(0, fix.span.start) + fix.text + text.slice(fix.span.end)
    const after = check(changed)
    if (after.some(({ code, message }) => code === problem.code && message === problem.message)) continue
    if (weigh(after) < before) fixes.push(fix)
    else if (isWord && weigh(after) < before + oneError) likely ??= fix
  }
  return fixes.length > 0 || likely === undefined ? fixes : [likely]
}

/** More than any number of warnings. */
const oneError = 1000

const weigh = (problems: readonly Problem[]): number =>
  problems.reduce((sum, { severity }) => sum + (severity === 'error' ? oneError : 1), 0)

function candidates(text: string, { message, hint = '' }: Problem, span: Span): readonly QuickFix[] {
  const meant = meantIn(hint)
  if (meant.length > 0) return meant.flatMap((word) => replacements(text, word, message, span))
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

/** What `did you mean …?` says, with its quotes taken off; up to the first question mark, and up to the last. */
function meantIn(hint: string): readonly string[] {
  const found = [/did you mean (.+?)\?(?:\W|$)/, /did you mean (.+)\?/].map(
    (pattern) => pattern.exec(hint)?.[1],
  )
  const words = found.flatMap((word) => (word === undefined ? [] : [word.replace(/^(['"`])(.*)\1$/s, '$2')]))
  return [...new Set(words)]
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
  fixes.push({ title, span, text: by }, ...onLine(text, by, span))
  const [, quote] = /^(["']).*\1$/s.exec(there) ?? []
  if (quote !== undefined) fixes.push({ title, span, text: quote + by + quote })
  // `write timeout: 5m` about a key that has a value of its own.
  const key = /^(\w+): /.exec(by)?.[1]
  if (key !== undefined && /^ *:/.test(text.slice(span.end)))
    fixes.push({ title: `Change to ${key}`, span, text: key })
  return fixes
}

/** The value of the line, where quotes around it are what is missing; or all of the line. */
function onLine(text: string, by: string, { start }: Span): readonly QuickFix[] {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const end = text.indexOf('\n', start)
  const line = text.slice(from, end < 0 ? text.length : end)
  const title = `Change to ${by}`
  const [, , inner = ''] = /^(["'])(.*)\1$/s.exec(by) ?? []
  const at = inner === '' ? -1 : line.indexOf(inner)
  if (at >= 0) return [{ title, span: { start: from + at, end: from + at + inner.length }, text: by }]
  const first = line.search(/\S/)
  return /^(?:- )?\w+: /.test(by)
    ? [{ title, span: { start: from + first, end: from + line.trimEnd().length }, text: by }]
    : []
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
