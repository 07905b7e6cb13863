/** Shows a problem at its place in a source: the line, a caret range under it, the hint. */

export type ProblemSeverity = 'error' | 'warning' | 'info'

/** Something wrong at a place in a source text. */
export interface SourceProblem {
  /** For example `E202`: the letter is the severity, and a number never changes its meaning. */
  readonly code: string
  readonly severity: ProblemSeverity
  readonly message: string
  /** What to write instead. */
  readonly hint?: string | undefined
  readonly file?: string | undefined
  /** From 1. Lines end with LF or CRLF. */
  readonly line: number
  /** From 1, in UTF-16 code units, as editors and SARIF count. */
  readonly column: number
  readonly endLine: number
  /** Exclusive. */
  readonly endColumn: number
  /** Undefined: nothing is missing, or creating it is not the fix. */
  readonly missing?: MissingPart | undefined
}

/** What does not exist, so that a page can lead to where it is created. */
export interface MissingPart {
  readonly kind: 'connection' | 'provider' | 'organization'
  /** Its name or code. Undefined: any. */
  readonly name?: string | undefined
  /** Plugins whose connections fit. */
  readonly plugins?: readonly string[] | undefined
}

/** Maximum width of a source line, in terminal columns; longer lines are cut around the caret with `…`. */
const maxWidth = 100
/** How much is shown to the left of the caret when a line is cut. */
const leftOfCaret = 60

/**
 * The problem as text for people, without a trailing newline. Control, format and direction characters are
 * escaped, so the source cannot control the terminal.
 *
 * @example
 * playbooks/travel.yaml:42:113  error E202  'confimed' is not one of confirmed, cancelled
 * 42 |       booked: ${{ … && b.status == "confimed") }}
 * |                                    ^^^^^^^^^^  hint: did you mean 'confirmed'?
 */
export function formatProblem(problem: SourceProblem, source: string): string {
  const { line, column, severity, code } = problem
  const place = `${problem.file === undefined ? '' : `${escapeText(problem.file)}:`}${line}:${column}`
  const head = `${place}  ${severity} ${code}  ${escapeText(problem.message)}`
  const text = lineAt(source, line)
  const hint = problem.hint === undefined ? '' : `hint: ${escapeText(problem.hint)}`
  if (text === undefined) return hint === '' ? head : `${head}\n  ${hint}`
  const end = problem.endLine > line ? text.length + 1 : problem.endColumn
  const shown = window(text, column - 1, Math.max(end - 1, column))
  const number = String(line).padStart(5)
  const carets = ' '.repeat(shown.before) + '^'.repeat(Math.max(shown.marked, 1))
  return [
    head,
    `${number} | ${shown.text}`.trimEnd(),
    `${' '.repeat(number.length)} | ${carets}${hint === '' ? '' : `  ${hint}`}`,
  ].join('\n')
}

/** Escapes everything that could move the cursor, change colours or reorder text. */
export function escapeText(text: string): string {
  return text.replace(unsafe, escapeCharacter)
}

// Controls, format characters (among them the direction overrides), line and paragraph separators, lone surrogates.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
const isUnsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/u
const zeroWidth = /\p{M}/u

function escapeCharacter(character: string): string {
  if (character === '\t') return '\\t'
  const code = character.codePointAt(0)!
  return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** One character of the source as it is shown. */
interface Cell {
  /** UTF-16 offset in the line. */
  readonly at: number
  readonly shown: string
  /** Terminal columns. */
  readonly width: number
}

function cells(line: string, from: number, to: number): readonly Cell[] {
  const found: Cell[] = []
  let at = from
  for (const character of line.slice(from, to)) {
    // A tab is shown as one space, so that the caret is at the right column in every terminal.
    const shown = character === '\t' ? ' ' : isUnsafe.test(character) ? escapeCharacter(character) : character
    const width = shown.length > character.length ? shown.length : widthOf(shown)
    found.push({ at, shown, width })
    at += character.length
  }
  return found
}

const widthOf = (character: string): number => (zeroWidth.test(character) ? 0 : wide.test(character) ? 2 : 1)

interface Shown {
  readonly text: string
  /** Columns before the caret. */
  readonly before: number
  /** Columns marked. */
  readonly marked: number
}

/** Cuts the line to the width, keeping the marked range visible. */
function window(text: string, start: number, end: number): Shown {
  // A line may be very long, so only the part that can be shown is read, including zero-width characters.
  const first = Math.max(0, start - 4 * maxWidth)
  const last = Math.min(text.length, start + 4 * maxWidth)
  const line = cells(text, first, last)
  const found = line.findIndex((cell) => cell.at >= start)
  const caret = found < 0 ? line.length : found
  const isWhole = first === 0 && last === text.length && width(line) <= maxWidth
  let from = isWhole ? 0 : caret
  for (let room = leftOfCaret; from > 0 && room >= line[from - 1]!.width; from--)
    room -= line[from - 1]!.width
  let to = from
  for (let room = maxWidth; to < line.length && room >= line[to]!.width; to++) room -= line[to]!.width
  const visible = line.slice(from, to)
  const lead = from > 0 || first > 0 ? '…' : ''
  const isCut = to < line.length || last < text.length
  return {
    text: `${lead}${visible.map((cell) => cell.shown).join('')}${isCut ? '…' : ''}`,
    before: lead.length + width(visible.filter((cell) => cell.at < start)),
    marked: width(visible.filter((cell) => cell.at >= start && cell.at < end)),
  }
}

const width = (line: readonly Cell[]): number => line.reduce((sum, cell) => sum + cell.width, 0)

/** A line by number, without its ending; undefined past the end. */
function lineAt(source: string, line: number): string | undefined {
  let start = source.startsWith('\uFEFF') ? 1 : 0
  for (let number = 1; number < line; number++) {
    const newline = source.indexOf('\n', start)
    if (newline < 0) return undefined
    start = newline + 1
  }
  const end = source.indexOf('\n', start)
  const text = source.slice(start, end < 0 ? source.length : end)
  return text.endsWith('\r') ? text.slice(0, -1) : text
}
