import type { MapNode, Node, ScalarNode } from '../yaml/document.ts'
import { quote, type Problems } from '../language/problem.ts'
import { quoted } from '../yaml/repairs.ts'
import type { Span } from '../language/source-text.ts'

/**
 * Warns of values that a comment cuts off or replaces: `text: See ticket #123`, `channel: #alerts`. A `#`
 * followed by a space counts as an intended comment, unless the value is visibly incomplete.
 */
export function warnOfCutValues(problems: Problems, source: string, node: Node): void {
  switch (node.kind) {
    case 'scalar':
      warnOfCutText(problems, source, node)
      break
    case 'list':
      for (const item of node.items) warnOfCutValues(problems, source, item)
      break
    case 'map':
      warnInMap(problems, source, node)
  }
}

function warnInMap(problems: Problems, source: string, { entries }: MapNode): void {
  for (const { key, value } of entries) {
    const isNothing = value.kind === 'scalar' && value.value === null && value.start === key.start
    if (!isNothing) warnOfCutValues(problems, source, value)
    else
      warnOfCut(problems, source, { start: key.end, end: key.end }, /^["']?[ \t]*:([ \t]+)(#[^\s#!][^\r\n]*)/)
  }
}

function warnOfCutText(problems: Problems, source: string, { value, style, start, end }: ScalarNode): void {
  if (style !== 'plain') return
  // `- #alerts`
  if (value === null && start === end)
    warnOfCut(problems, source, { start, end }, /^([ \t]*)(#[^\s#!][^\r\n]*)/)
  if (typeof value !== 'string') return
  const written = source.slice(start, end)
  const comment = goesOn(written) ? anyComment : /\s/.test(written) ? numberComment : tightComment
  warnOfCut(problems, source, { start, end }, comment, written)
}

const anyComment = /^([ \t]+)(#[^\r\n]*)/
/** `#123` and `#alerts`: an intended comment has a space after the `#`. */
const tightComment = /^([ \t]+)(#[^\s#!][^\r\n]*)/
/** `room # 5`, after several words. */
const numberComment = /^([ \t]+)(#(?:[^\s#!]|[ \t]\d+(?:\W|$))[^\r\n]*)/m

/** Whether a text ends inside quotes or brackets. */
function goesOn(text: string): boolean {
  const count = (mark: string) => text.split(mark).length - 1
  return count('"') % 2 === 1 || count('(') > count(')') || count('[') > count(']') || count('{') > count('}')
}

function warnOfCut(problems: Problems, source: string, at: Span, comment: RegExp, value = ''): void {
  const [, gap = '', cut = ''] = comment.exec(source.slice(at.end, at.end + 1000)) ?? []
  if (cut === '') return
  const start = source.indexOf(cut, at.end)
  const said = value === '' ? 'there is no value' : 'the value ends before it'
  const meant = quoted(`${value}${value === '' ? '' : gap}${cut.trimEnd()}`)
  const hint = meant.length <= 160 ? `write ${meant}` : 'put the whole value into quotes'
  problems.add(
    'W421',
    `${quote(cut.trimEnd())} is a comment: ${said}`,
    { start, end: start + cut.length },
    hint,
  )
}
