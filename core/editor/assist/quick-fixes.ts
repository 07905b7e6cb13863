import type { Problem } from '../../playbook/language/problem.ts'
import type { Span } from '../../playbook/language/source-text.ts'

export interface QuickFix {
  /** Description for people. */
  readonly title: string
  readonly span: Span
  readonly text: string
}

/** Maximum number of changes tried per problem: each parses the text once. */
const maxTried = 12

/**
 * Turns the hint of a problem into a change of the text. Offers only changes that solve the problem without
 * causing worse ones; a corrected word may reveal further problems.
 *
 * @param check returns the problems of a text
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

/** Outweighs any number of warnings. */
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
      // Text with a placeholder must be filled in by people.
      /[…<>]/.test(each)
        ? []
        : [...insertions(text, each, message, span), ...replacements(text, each, message, span)],
    )
  }
  return /^(?:remove|leave) /.test(hint) ? [removal(text, span)] : []
}

/** The suggestion in `did you mean …?` without quotes, up to the first and up to the last question mark. */
function meantIn(hint: string): readonly string[] {
  const found = [/did you mean (.+?)\?(?:\W|$)/, /did you mean (.+)\?/].map(
    (pattern) => pattern.exec(hint)?.[1],
  )
  const words = found.flatMap((word) => (word === undefined ? [] : [word.replace(/^(['"`])(.*)\1$/s, '$2')]))
  return [...new Set(words)]
}

/** Replacements of the whole range, of the key, or of the word quoted in the message. */
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
  // For `write timeout: 5m` about a key that already has a value.
  const key = /^(\w+): /.exec(by)?.[1]
  if (key !== undefined && /^ *:/.test(text.slice(span.end)))
    fixes.push({ title: `Change to ${key}`, span, text: key })
  return fixes
}

/** Replacements of the line's value, if only quotes are missing, or of the whole line. */
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

/** Edits that insert a missing key into the map that starts at the span. */
function insertions(text: string, line: string, message: string, { start }: Span): readonly QuickFix[] {
  const key = /^(\w+):/.exec(line)?.[1]
  if (key === undefined || !/\b(?:needs?|is (?:missing|required))\b/.test(message)) return []
  const title = `Add ${line}`
  if (text[start] === '{') return [{ title, span: { start: start + 1, end: start + 1 }, text: ` ${line},` }]
  const indentation = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1))
  return [{ title, span: { start, end: start }, text: `${line}\n${indentation}` }]
}

/** Removes the entry with this key and everything nested in it. */
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
