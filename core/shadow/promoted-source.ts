import { ConflictError } from '../errors/errors.ts'
import type { Playbook } from '../playbook/language/playbook.ts'
import type { SeenChange } from '../publishing/check-changes.ts'
import type { Publication } from '../ports/playbook-store.ts'
import type { Span } from '../playbook/language/source-text.ts'
import type { Entry } from '../playbook/yaml/document.ts'
import { openSource } from '../playbook/yaml/open-source.ts'

/** Content hashes of a shadow and of the playbook beside which it runs; null: there is none. */
export interface SeenVersions {
  readonly shadow: string
  readonly live: string | null
}

/**
 * The changes that make a shadow live: its source replaces the playbook beside which it ran, and its own file is deleted.
 *
 * @param playbook the published playbook of this name
 * @param promoted for the audit log
 * @throws ConflictError `playbook_not_in_shadow`, `promotion_impossible`
 */
export function promotion(
  name: string,
  playbook: Playbook | undefined,
  seen: SeenVersions,
  promoted: NonNullable<Publication['promoted']>,
): readonly SeenChange[] {
  if (playbook?.shadow === undefined)
    throw new ConflictError('playbook_not_in_shadow', `the playbook '${name}' does not run in shadow`)
  const { beside = name } = playbook.shadow
  const source = promotedSource(playbook)
  const publication = { promoted }
  if (beside === name) return [{ name, source, seen: seen.shadow, publication }]
  return [
    { name: beside, source, seen: seen.live, publication },
    { name, source: null, seen: seen.shadow },
  ]
}

/** Text that replaces a part of a source. */
interface Replacement extends Span {
  readonly text: string
}

/**
 * The source of a shadow as a live playbook: without `mode` and `beside`, and with the name of the playbook beside which it ran.
 * Everything else stays, with comments and layout.
 *
 * @throws ConflictError `promotion_impossible` if a key shares its line with others
 */
export function promotedSource({ source, shadow }: Playbook): string {
  const { root, source: body } = openSource(source, undefined)
  if (root?.kind !== 'map') return source
  const { text } = body
  const replacements = root.entries.flatMap((entry): readonly Replacement[] => {
    if (entry.name === 'mode' || entry.name === 'beside') return [{ ...wholeLine(text, entry), text: '' }]
    if (entry.name !== 'name' || shadow?.beside === undefined) return []
    return [{ start: entry.value.start, end: entry.value.end, text: writtenName(shadow.beside) }]
  })
  const mark = source.length - text.length
  return source.slice(0, mark) + replaced(text, replacements)
}

const replaced = (text: string, replacements: readonly Replacement[]): string =>
  replacements
    .toSorted((a, b) => b.start - a.start)
    .reduce((rest, { start, end, text: by }) => rest.slice(0, start) + by + rest.slice(end), text)

/** The line of a key with its value, comment and end. */
function wholeLine(text: string, { name, key, value }: Entry): Span {
  const start = text.lastIndexOf('\n', key.start - 1) + 1
  const next = text.indexOf('\n', value.end)
  const end = next < 0 ? text.length : next + 1
  const before = text.slice(start, key.start)
  const after = text.slice(value.end, end)
  const isAlone = before.trim() === '' && /^\s*(?:#.*)?$/.test(after.replace(/\r?\n$/, ''))
  if (isAlone && !text.slice(key.start, value.end).includes('\n')) return { start, end }
  throw new ConflictError('promotion_impossible', `\`${name}\` shares its line with other text`, {
    hint: `write \`${name}\` on a line of its own, or promote by hand: remove \`mode\` and \`beside\`, and rename the playbook`,
  })
}

/** Words that YAML would read as something else are quoted. */
const writtenName = (name: string): string => (/^(?:true|false|null|\d.*)$/.test(name) ? `'${name}'` : name)
