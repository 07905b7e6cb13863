import { runAtOnce, type Sliced } from '../../common/sliced.ts'
import type { SeenExpression } from '../../playbook/template/observer.ts'
import { completeExpression } from './complete-expression.ts'
import { completeKeys, completeValue } from './complete-yaml.ts'
import type { Completion, Completions } from './completion.ts'
import { findNode, inspectInSlices, type Inspection } from '../inspection.ts'
import type { Guide } from '../schema-walk.ts'

/** Characters to parse in total before giving up on a long, broken text. */
const maxRead = 200_000

/** Marks the cursor while the text is parsed: a word that occurs in no playbook. */
export const mark = 'zcursorz'

/**
 * Completions at an offset of a playbook or plugin: keys, values, skills and their inputs, and in expressions names,
 * fields and functions. The text may be incomplete: it is parsed with a mark at the cursor and with missing
 * brackets and quotes added.
 */
export function complete(text: string, offset: number, guide: Guide): Completions {
  const attempts = completionAttempts(text, offset, guide)
  for (const attempt of attempts) {
    const found = runAtOnce(attempt)
    if (found) return found
  }
  return nothingToComplete(text, offset)
}

export const nothingToComplete = (text: string, offset: number): Completions => ({
  items: [],
  replaces: wordAt(text, offset),
})

/**
 * The same as separate attempts, so that callers can yield in between. Each parses the text once; the first
 * that finds something wins.
 */
export function* completionAttempts(
  text: string,
  offset: number,
  guide: Guide,
): Generator<Sliced<Completions | undefined>> {
  const word = wordAt(text, offset)
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  const isInExpression = opensExpression(line)
  if (!isInExpression && isComment(line)) return
  for (const candidate of candidates(text, offset).take(Math.max(4, maxRead / (text.length + 1))))
    yield attempt(candidate)

  function* attempt(candidate: string): Sliced<Completions | undefined> {
    const inspection =
      guide.inspect?.(candidate) ?? (yield* inspectInSlices(candidate, guide.catalogue, guide.playbooks))
    const items = completeAt(inspection, guide, text.slice(word.end))
    return items === undefined || (isInExpression && !isExpression(inspection))
      ? undefined
      : { items, replaces: word }
  }
}

function completeAt(inspection: Inspection, guide: Guide, after: string): readonly Completion[] | undefined {
  const seen = inspection.expressions.find(isMarked)
  if (seen) return completeExpression(seen, mark)
  const { root } = inspection
  return (
    root &&
    findNode(root, ({ node, path }): readonly Completion[] | undefined => {
      if (node.kind === 'map') {
        const key = node.entries.find(({ name }) => name.includes(mark))
        return (
          key &&
          completeKeys(guide, node, path, {
            isFlow: isFlow(inspection, node.start),
            hasColon: /^ *:/.test(after),
          })
        )
      }
      if (node.kind === 'scalar' && String(node.value).includes(mark)) return completeValue(guide, path)
      return undefined
    })
  )
}

const isFlow = ({ source }: Inspection, start: number): boolean => source?.text[start] === '{'
const isMarked = ({ text }: SeenExpression): boolean => text.includes(mark)
const isExpression = ({ expressions }: Inspection): boolean => expressions.some(isMarked)

/** Whether the text ends inside of `${{ … }}`. */
const opensExpression = (text: string): boolean => {
  const open = text.lastIndexOf('${{')
  return open >= 0 && text[open - 1] !== '$' && !text.slice(open).includes('}}')
}

/** Whether the line ends in a comment. If the `#` may be quoted, the text is parsed to find out. */
export const isComment = (line: string): boolean => /^(?:[^"'#]*\s)?#/.test(line)

/** Text that may be missing after the cursor. */
const closers = ['', ' }}', ' }}"', " }}'", ' }}" }', " }}' }", ' }}"] }', '"', "'", '" }', "' }", ' }', ']']

/** The closers that match something opened shortly before the cursor. */
function usefulClosers(before: string): readonly string[] {
  const near = before.slice(-500)
  const useless = ['"', "'"].filter((quote) => !near.includes(quote))
  if (!opensExpression(near)) useless.push('}}')
  if (!near.includes('{')) useless.push('}')
  if (!near.includes('[')) useless.push(']')
  return closers.filter((closer) => !useless.some((part) => closer.includes(part)))
}

/** Variants of the text with the mark that may parse, the likeliest first. */
export function* candidates(text: string, offset: number): Generator<string> {
  const before = text.slice(0, offset)
  const lineEnd = text.indexOf('\n', offset)
  const end = lineEnd < 0 ? text.length : lineEnd
  const rest = text.slice(offset, end)
  const useful = usefulClosers(before)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  // A line with a single word is the start of a key.
  if (/^ *(?:- +)*[\w.-]*$/.test(line) && /^[\w.-]*\s*$/.test(rest)) {
    yield `${before}${mark}${rest.trimEnd()}:${text.slice(end)}`
  }
  for (const closer of useful) yield before + mark + closer + text.slice(offset)
  for (const closer of useful) yield before + mark + closer + text.slice(end)
  // The broken part may come later.
  yield `${before}${mark}:`
  for (const closer of useful) yield before + mark + closer
}

function wordAt(text: string, offset: number): { readonly start: number; readonly end: number } {
  const line = text.lastIndexOf('\n', offset - 1) + 1
  const isCode =
    opensExpression(text.slice(line, offset)) ||
    /^\s*(?:- )?(?:if|when|until|where|failed|took_effect|changed_nothing):/.test(text.slice(line, offset))
  const part = isCode ? /\w/ : /[\w.-]/
  let start = offset
  let end = offset
  while (start > line && part.test(text[start - 1]!)) start--
  while (end < text.length && part.test(text[end]!)) end++
  // The `- ` of a list item is not part of a word.
  if (/^-+$/.test(text.slice(start, offset))) start = offset
  return { start, end }
}
