import { nearest } from '../../common/nearest.ts'
import { suggest } from '../language/did-you-mean.ts'
import type { Entry, MapNode, Node } from '../yaml/document.ts'
import { durationHint, hintForDuration, parseDurationMs } from '../language/durations.ts'
import { apiVersion } from '../language/constants.ts'
import { mapKeys } from '../language/grammar.ts'
import type { KeyTable } from '../language/key-table.ts'
import {
  familiarChoice,
  familiarKey,
  familiarMissing,
  familiarValue,
  placeOfOthers,
} from './familiar-words.ts'
import { numberInWords } from './plain-words.ts'
import { quote, type Problems } from '../language/problem.ts'
import type { Span } from '../language/source-text.ts'
import { splitTemplate } from '../yaml/template-text.ts'

/** The known keys of a map, by name. */
export type Fields = ReadonlyMap<string, Entry>

/**
 * Reads a map against its table of keys and reports unknown and missing keys. Undefined if it is not a map.
 */
export function readFields(
  problems: Problems,
  node: Node,
  table: KeyTable,
  at: Span = node,
): Fields | undefined {
  if (node.kind !== 'map') {
    problems.add(
      'E106',
      `expected a map for ${table.what}, found ${describe(node)}`,
      at,
      familiarValue(table.what, node) ?? `possible keys: ${table.keys.join(', ')}`,
    )
    return undefined
  }
  const fields = new Map<string, Entry>()
  const misplaced = findMisplaced(node, table)
  if (misplaced) {
    const { parent, first } = misplaced
    const message = `\`${parent.name}\` is empty, and ${quote(first.name)} is beside it, not inside`
    problems.add(
      'E104',
      message,
      first.key,
      `indent it by two more spaces to put it inside \`${parent.name}\``,
    )
  }
  for (const entry of node.entries) {
    if (entry === misplaced?.parent || misplaced?.all.includes(entry) === true) continue
    if (table.keys.includes(entry.name)) {
      fields.set(entry.name, entry)
      continue
    }
    const readAs = familiarKey(table.what, entry.name)?.readAs
    if (readAs !== undefined && !node.entries.some(({ name }) => name === readAs)) fields.set(readAs, entry)
    problems.add(
      'E104',
      `unknown key ${quote(entry.name)} in ${table.what}`,
      entry.key,
      () => hintForCutText(entry.name) ?? hintForKey(entry.name, table),
    )
  }
  for (const name of table.required ?? []) {
    if (!node.entries.some((entry) => entry.name === name) && !misspelt(node, name, table)) {
      const hint =
        name === 'apiVersion' ? `write apiVersion: ${apiVersion}` : familiarMissing(table.what, name)
      problems.add('E105', `${table.what} needs \`${name}\``, headSpan(node), hint)
    }
  }
  return fields
}

/** For a key that is the rest of a text, cut at a comma inside `{ }`. */
export const hintForCutText = (key: string): string | undefined =>
  /\S\s+\S/.test(key) ? 'quote the text: inside { }, a comma ends a value' : undefined

function hintForKey(name: string, { what, keys }: KeyTable): string | undefined {
  const near = suggest(name, keys)
  // Short names are all similar to each other.
  const isMeant = name.length > 2 && near?.startsWith('did you mean') === true
  return familiarKey(what, name)?.hint ?? (isMeant ? near : (placeOfOthers(what) ?? near))
}

/** Unknown keys after a key without value, which were meant to be inside it. */
function findMisplaced(node: MapNode, table: KeyTable) {
  const { entries } = node
  const isEmpty = ({ name, key, value }: Entry) =>
    mapKeys.has(name) && value.kind === 'scalar' && value.value === null && value.start === key.start
  const at = entries.findIndex((entry, index) => {
    const next = entries[index + 1]
    if (!isEmpty(entry) || !table.keys.includes(entry.name) || next === undefined) return false
    return !table.keys.includes(next.name) || (entry.name === 'on' && next.name === 'alert')
  })
  if (at < 0) return undefined
  const all: Entry[] = []
  for (const entry of entries.slice(at + 1)) {
    if (table.keys.includes(entry.name) && all.length > 0) break
    all.push(entry)
  }
  return { parent: entries[at]!, first: all[0]!, all }
}

/** Whether a required key is present with a typo, which has been reported as unknown. */
function misspelt(node: MapNode, name: string, table: KeyTable): boolean {
  return node.entries.some((entry) => {
    if (table.keys.includes(entry.name)) return false
    const familiar = familiarKey(table.what, entry.name)
    return familiar ? familiar.standsFor?.includes(name) === true : nearest(entry.name, table.keys) === name
  })
}

/** The place to report something missing in a node. */
export function headSpan(node: Node): Span {
  if (node.kind === 'map' && node.entries[0]) return node.entries[0].key
  if (node.kind === 'list' && node.items[0]) return headSpan(node.items[0])
  return { start: node.start, end: Math.max(node.end, node.start + 1) }
}

/** A node in words. */
export function describe(node: Node): string {
  if (node.kind !== 'scalar') return `a ${node.kind}`
  if (node.value === null) return 'nothing'
  if (typeof node.value === 'string') return 'a string'
  const shown = typeof node.value === 'number' ? numberInWords(node.value) : node.value
  return `the ${typeof node.value} ${shown}`
}

/** Reads a non-empty literal string; `what` names it in messages. */
export function readText(
  problems: Problems,
  { name, value }: Entry,
  what = `\`${name}\``,
  hintForExpression = 'write a literal value; `$${{` gives the text `${{`',
): string | undefined {
  if (value.kind !== 'scalar' || typeof value.value !== 'string') {
    const hint =
      value.kind === 'scalar' && value.value !== null
        ? `put it into quotes: "${problems.written(value)}"`
        : undefined
    problems.add('E106', `expected a string for ${what}, found ${describe(value)}`, value, hint)
    return undefined
  }
  const segments = splitTemplate(value.value)
  if (segments.some((segment) => segment.kind !== 'text')) {
    problems.add('E107', `${what} takes no expression`, value, hintForExpression)
    return undefined
  }
  if (value.value.trim() === '') {
    problems.add('E107', `${what} is empty`, value)
    return undefined
  }
  return segments.map((segment) => (segment.kind === 'text' ? segment.text : '')).join('')
}

/** Reads a string that matches a pattern. */
export function readWord(
  problems: Problems,
  entry: Entry,
  pattern: string,
  rule: string,
): string | undefined {
  const text = readText(problems, entry)
  if (text === undefined || (text.length <= 200 && new RegExp(pattern).test(text))) return text
  const better = ['-', '_']
    .map((joint) => inWords(text.replace(/\.ya?ml$/i, ''), joint))
    .find((each) => new RegExp(pattern).test(each))
  const hint = better === undefined ? rule : `${rule}: ${better}`
  problems.add('E107', `${quote(text)} is not a valid \`${entry.name}\``, entry.value, hint)
  return undefined
}

const inWords = (text: string, joint: string): string =>
  text
    .slice(0, 60)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join(joint)

export function readChoice<T extends string>(
  problems: Problems,
  entry: Entry,
  choices: readonly T[],
): T | undefined {
  const text = readText(problems, entry)
  const choice = choices.find((each) => each === text)
  if (text === undefined || choice !== undefined) return choice
  const familiar = familiarChoice(entry.name, text, choices)
  const hint = familiar && `did you mean '${familiar}'?`
  problems.add('E107', `${quote(text)} is not one of ${choices.join(', ')}`, entry.value, hint)
  return undefined
}

/** Reads a number within inclusive bounds. */
export function readNumber(
  problems: Problems,
  { name, value }: Entry,
  [min, max]: readonly [number, number],
  whole = true,
): number | undefined {
  const given = value.kind === 'scalar' ? value.value : undefined
  if (typeof given !== 'number' || (whole && !Number.isInteger(given))) {
    problems.add(
      'E106',
      `expected ${whole ? 'a whole number' : 'a number'} for \`${name}\`, found ${describe(value)}`,
      value,
      typeof given === 'string' && /^\d+(?:\.\d+)?$/.test(given) ? `remove the quotes: ${given}` : undefined,
    )
    return undefined
  }
  if (given >= min && given <= max) return given
  problems.add('E107', `\`${name}\` must be between ${min} and ${max}`, value)
  return undefined
}

const noExpression =
  'write a literal duration such as 5m; only `wait` and the `timeout` of a checkpoint accept expressions'

/** Reads a positive duration in milliseconds. */
export function readDuration(problems: Problems, entry: Entry): number | undefined {
  const { name, value } = entry
  if (value.kind === 'scalar' && typeof value.value === 'number') {
    problems.add(
      'E106',
      `expected a duration for \`${name}\`, found a number`,
      value,
      hintForDuration(value.value),
    )
    return undefined
  }
  if (value.kind === 'scalar' && value.value === null) {
    problems.add('E106', `expected a duration for \`${name}\`, found nothing`, value, durationHint)
    return undefined
  }
  const text = readText(problems, entry, undefined, noExpression)
  if (text === undefined) return undefined
  const duration = parseDurationMs(text)
  if (duration !== undefined && duration > 0) return duration
  const hint = hintForDuration(text)
  problems.add('E107', `invalid duration ${quote(text)} for \`${name}\``, value, hint)
  return undefined
}
