import { languageKeys } from '../../core/playbook/language/grammar.ts'
import type { MapDeclaration } from '../../core/playbook/language/key-table.ts'

/**
 * A table of the reference of a language, such as docs/playbooks.md, without its formatting.
 *
 * @param named `retry`, or `step` with some of its keys: `step if timeout`
 * @param maps the keys of the language
 */
export function keysTable(
  named: string,
  maps: Readonly<Record<string, MapDeclaration>> = languageKeys,
): string {
  const [map = '', ...some] = named.split(' ')
  const { keys, required = [] } = maps[map]!
  const rows = (some.length === 0 ? Object.keys(keys) : some).map((name) => {
    const { meaning, default: preset = '' } = keys[name]!
    return `| \`${name}\` | ${meaning} | ${required.includes(name) ? '**required**' : preset} |`
  })
  return `\n| key | meaning | default |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`
}
