/** A map or list that is open at a line: the column (from 0) of its keys or dashes, and its first line. */
interface Open {
  readonly column: number
  readonly kind: 'key' | 'item'
  readonly name: string
  /** From 1. */
  readonly line: number
}

const keyPattern = /^([A-Za-z_$"'][^\s:#]{0,80}):(?:\s+(.*))?$/

/**
 * Explains a wrong indentation; undefined if the indentation is right. Looks only at the shape of the lines,
 * which is enough to explain an error of the YAML parser.
 *
 * @param index from 0
 */
export function explainIndentation(
  lines: readonly string[],
  index: number,
): { readonly message: string; readonly hint: string | undefined } | undefined {
  const line = lines[index] ?? ''
  const column = indentOf(line)
  const kind = /^-(?:\s|$)/.test(line.slice(column)) ? 'item' : 'key'
  if (kind === 'key' && !keyPattern.test(line.slice(column).trimEnd())) return undefined
  const { open, mayNest } = openAt(lines, index)
  if (open.some((each) => each.column === column && each.kind === kind)) return undefined
  const deepest = open.at(-1)
  if (deepest === undefined || (column > deepest.column && mayNest)) return undefined
  const spaces = `${column} ${column === 1 ? 'space' : 'spaces'}`
  return {
    message: `indentation of ${spaces} matches no open block`,
    hint: hintFor(open, kind, column),
  }
}

function hintFor(open: readonly Open[], kind: Open['kind'], column: number): string | undefined {
  const alike = open.filter((each) => each.kind === kind)
  const least = Math.min(...alike.map((each) => Math.abs(each.column - column)))
  const places = alike
    .filter((each) => Math.abs(each.column - column) === least)
    .map(
      (each) => `by ${each.column}, like ${each.kind === 'item' ? 'the -' : each.name} in line ${each.line}`,
    )
  return places.length === 0 ? undefined : `indent it ${places.toReversed().join(', or ')}`
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/**
 * The maps and lists open before a line. `mayNest`: the last one has no value yet, so a deeper block may
 * follow.
 */
function openAt(
  lines: readonly string[],
  end: number,
): { readonly open: readonly Open[]; readonly mayNest: boolean } {
  const open: Open[] = []
  let mayNest = true
  /** Lines indented deeper than this belong to a block text. */
  let textColumn = Infinity
  let brackets = 0
  for (const [index, line] of lines.slice(0, end).entries()) {
    const content = line.trim()
    const column = indentOf(line)
    if (content === '' || content.startsWith('#')) continue
    if (brackets > 0 || column > textColumn) {
      brackets = Math.max(0, brackets + bracketsOf(content))
      continue
    }
    const added = opened(line, index + 1)
    while (open.length > 0 && open.at(-1)!.column > column) open.pop()
    for (const each of added.open) {
      while (open.at(-1)?.column === each.column && open.at(-1)?.kind === each.kind) open.pop()
      open.push(each)
    }
    textColumn = /(?:^|\s)[|>][-+\d]*$/.test(added.value) ? (added.open[0]?.column ?? column) : Infinity
    brackets = Math.max(0, bracketsOf(added.value))
    mayNest = added.value === ''
  }
  return { open, mayNest }
}

/** The dashes and key of a line, and the value after them. */
function opened(line: string, number: number): { readonly open: readonly Open[]; readonly value: string } {
  const open: Open[] = []
  let column = indentOf(line)
  for (let dash = /^-\s+|^-$/.exec(line.slice(column)); dash; dash = /^-\s+|^-$/.exec(line.slice(column))) {
    open.push({ column, kind: 'item', name: '-', line: number })
    column += dash[0].length
  }
  const rest = line.slice(column).trimEnd()
  const key = keyPattern.exec(rest)
  if (key === null) return { open, value: rest }
  open.push({ column, kind: 'key', name: `\`${key[1]}\``, line: number })
  const value = key[2] ?? ''
  return { open, value: value.startsWith('#') ? '' : value }
}

/** The number of opening minus closing brackets, outside of quotes. */
function bracketsOf(text: string): number {
  if (!/^[[{\]}]/.test(text) && !/[\]}],?$/.test(text)) return 0
  let depth = 0
  for (const character of text.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '')) {
    if ('[{'.includes(character)) depth++
    else if (']}'.includes(character)) depth--
  }
  return depth
}
