import type { YAMLError } from 'yaml'
import { grammar } from '../language/grammar.ts'
import { explainIndentation } from './indentation.ts'
import type { ProblemCode } from '../language/problem-catalogue.ts'
import { quoted, type Repair } from './repairs.ts'
import type { Span } from '../language/source-text.ts'

/** A YAML mistake, explained for the author. */
export interface Mistake extends Span {
  readonly code: ProblemCode
  readonly message: string
  readonly hint?: string | undefined
  /** Set if the intention is clear, so that the rest can be checked. */
  readonly repair?: Repair
}

/** A line of the source: its offset, its key, and the value of the key. */
interface Line {
  readonly start: number
  readonly text: string
  readonly key: string
  readonly value: string
  readonly valueStart: number
}

const entryPattern = /^(\s*(?:-\s+)*)([\w$.-]{1,80}):([ \t]+)(\S.*)$/
const knownKeys: ReadonlySet<string> = new Set(Object.values(grammar).flatMap(({ keys }) => [...keys]))

/**
 * Explains the first error of the YAML parser from the lines around it. The parser's messages describe its
 * internal state, and later errors are consequences of the first.
 */
export function explainYamlErrors(text: string, errors: readonly YAMLError[]): Mistake {
  const first = errors.reduce((least, each) => (each.pos[0] < least.pos[0] ? each : least))
  if (first.code === 'MULTIPLE_DOCS') {
    const [start, end] = first.pos
    return { code: 'E102', message: 'a file contains one document', start, end: Math.max(end, start + 1) }
  }
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  const at = positionOf(text, first.pos[0])
  const line = lineAt(text, at)
  return (
    tabs(line) ??
    names(line, at) ??
    doubleBraces(line, at) ??
    values(line, at) ??
    marks(line) ??
    shape(text, lines, at) ??
    brackets(first) ?? { code: 'E101', ...spanOf(first), message: plain(first.message) }
  )
}

/** An error in white space refers to the text after it. */
function positionOf(text: string, at: number): number {
  const gap = /^\s*/.exec(text.slice(at, at + 2000))?.[0].length ?? 0
  return at + gap < text.length ? at + gap : at
}

function lineAt(text: string, at: number): Line {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const newline = text.indexOf('\n', at)
  const line = text.slice(start, newline < 0 ? text.length : newline).trimEnd()
  const entry = entryPattern.exec(line)
  const [, before = '', key = '', gap = '', value = ''] = entry ?? []
  return { start, text: line, key, value, valueStart: start + before.length + key.length + 1 + gap.length }
}

function tabs({ start, text }: Line): Mistake | undefined {
  const tab = /^[ ]*(\t\s*)/.exec(text)
  if (tab === null) return undefined
  const from = start + tab[0].length - tab[1]!.length
  return {
    code: 'E101',
    start: from,
    end: start + tab[0].length,
    message: 'tabs cannot be used for indentation',
    hint: 'indent with spaces',
  }
}

/** A quoted path in a condition: `if: "alert.data.x" == "bob"`. */
const quotedName =
  /(["'])((?:[!(]\s*)*(?:alert|inputs|steps|run|item|error|output|organization|case|now|has)\b(?:(?!\1).)*)\1(?=[\s)]|$)/g
const conditionInBraces = /([,{]\s*)(if|when|where|until):(\s+)((?:"[^"]*"|'[^']*'|[^"',{}])+)/g

/** Quoted paths in conditions, on a line or in braces. */
function names({ start, text, key, value, valueStart }: Line, at: number): Mistake | undefined {
  const inBraces = Array.from(
    text.matchAll(conditionInBraces),
    ({ index, 1: before, 2: name, 3: gap, 4: found }) => ({
      key: name!,
      value: found!.trimEnd(),
      from: start + index + before!.length + name!.length + 1 + gap!.length,
    }),
  )
  const all = [{ key, value, from: valueStart }, ...inBraces]
  const here = all.find(
    (each) => conditionKeys.includes(each.key) && at >= each.from && at <= each.from + each.value.length,
  )
  if (!here || !/^["']/.test(here.value)) return undefined
  const meant = here.value.replaceAll(quotedName, '$2')
  if (meant === here.value || meant === here.value.slice(1, -1)) return undefined
  return {
    code: 'E101',
    start: here.from,
    end: here.from + here.value.length,
    message: 'in quotes this is text, not an expression',
    hint: `write ${here.key}: ${isPlainCondition(here.key, meant) ? meant : quoted(meant)}`,
    repair: { start: here.from, end: here.from + here.value.length, value: meant, valueStart: here.from },
  }
}

/** `{{ alert.data.ip }}`, interpolation in other languages, which YAML reads as nested maps. */
function doubleBraces({ start, text }: Line, at: number): Mistake | undefined {
  const found = Array.from(text.matchAll(/(?<![$"'{])\{\{([^{}]+)\}\}/g)).find(
    ({ index, 0: whole }) => start + index <= at && at <= start + index + whole.length,
  )
  if (found === undefined) return undefined
  const from = start + found.index
  const end = from + found[0].length
  const value = `\${{ ${found[1]!.trim()} }}`
  return {
    code: 'E101',
    start: from,
    end,
    message: 'an expression starts with ${{',
    hint: `write ${quoted(value)}`,
    repair: { start: from, end, value, valueStart: from },
  }
}

/** Values that need quotes, or different ones. */
function values(line: Line, at: number): Mistake | undefined {
  const { key, value, valueStart } = line
  if (value === '' || at < valueStart || /^[[{|>]/.test(value)) return undefined
  const end = valueStart + value.length
  const whole: Repair = { start: valueStart, end, value, valueStart }
  const problem = (
    message: string,
    repair = whole,
    hint = `write ${key}: ${quoted(repair.value)}`,
  ): Mistake => ({
    code: 'E101',
    start: valueStart,
    end,
    message,
    hint,
    repair,
  })
  const quote = value[0]!
  if (quote === '"' || quote === "'") {
    const inner = value.slice(1, -1)
    if (value.length < 3 || value.at(-1) !== quote || !inner.includes(quote)) {
      return problem('the quotes end before the value does')
    }
    const hint = `write ${key}: ${isPlainCondition(key, inner) ? inner : quoted(inner)}`
    return problem(
      `a ${quote} inside these quotes ends them`,
      { ...whole, value: inner, valueStart: valueStart + 1 },
      hint,
    )
  }
  if (/^[@`%&*!]/.test(value)) return problem(`text that starts with ${quote} must be quoted`)
  const condition = conditionKeys.includes(key) ? /^([^#]*\S)\s*:$/.exec(value)?.[1] : undefined
  if (condition !== undefined && !/:\s/.test(condition))
    return problem(
      'a condition does not end with :',
      { ...whole, value: condition },
      `write ${key}: ${condition}`,
    )
  if (/:(?:\s|$)/.test(value)) return problem('text that contains ": " must be quoted')
  return undefined
}

/** Keys whose value is an expression without `${{ }}`. */
export const conditionKeys = ['if', 'when', 'where', 'until']

const isPlainCondition = (key: string, text: string): boolean =>
  conditionKeys.includes(key) && /^[A-Za-z_]/.test(text) && !/: | #/.test(text)

/** Missing colons, and missing spaces after colons and dashes. */
function marks({ start, text }: Line): Mistake | undefined {
  const from = start + (text.length - text.trimStart().length)
  const mistake = (message: string, hint: string): Mistake => ({
    code: 'E101',
    start: from,
    end: start + text.length,
    message,
    hint,
  })
  const content = text.trim()
  const dash = /^-([A-Za-z_"'].*)$/.exec(content)
  if (dash) return mistake('missing space after the dash', `write - ${dash[1]}`)
  const [, item = '', key = '', rest = ''] = /^((?:-\s+)*)([A-Za-z_]\w*)(.*)$/.exec(content) ?? []
  if (key === '' || /:(?:\s|$)/.test(rest)) return undefined
  if (rest.startsWith(':'))
    return mistake('missing space after the colon', `write ${item}${key}: ${rest.slice(1)}`)
  if (!knownKeys.has(key)) return undefined
  return mistake(`missing colon after \`${key}\``, `write ${item}${key}: ${rest.trim()}`.trimEnd())
}

/** Wrong indentation of the line of the error, or of the next one. */
function shape(text: string, lines: readonly string[], at: number): Mistake | undefined {
  const index = text.slice(0, at).split('\n').length - 1
  let next = index + 1
  while (next < lines.length && /^\s*(?:#|$)/.test(lines[next]!)) next++
  for (const each of [index, next]) {
    const line = lines[each]
    const found = line === undefined ? undefined : explainIndentation(lines, each)
    if (line === undefined || found === undefined) continue
    const start = offsetOf(text, each) + (line.length - line.trimStart().length)
    const head = /^(?:-(?=\s)|[^\s:]+)/.exec(line.trimStart())?.[0].length ?? 1
    return { code: 'E101', start, end: start + head, ...found }
  }
  return undefined
}

function offsetOf(text: string, line: number): number {
  let at = 0
  for (let count = 0; count < line; count++) at = text.indexOf('\n', at) + 1
  return at
}

function brackets(error: YAMLError): Mistake | undefined {
  const span = spanOf(error)
  const message = /^Flow (?:map|sequence) in block/.test(error.message)
    ? 'a closing bracket is missing, or indented too little'
    : /Unexpected flow-(?:map|seq)-end/.test(error.message)
      ? 'a closing bracket without an opening one'
      : error.message.startsWith('Missing , ')
        ? 'a comma is missing before this'
        : error.message.startsWith('With stringKeys')
          ? 'a key must be a string'
          : undefined
  return message === undefined ? undefined : { code: 'E101', message, ...span }
}

const spanOf = ({ pos: [start, end] }: YAMLError): Span => ({ start, end: Math.max(end, start + 1) })

const plain = (message: string): string => message.replaceAll(/\s+/g, ' ')
