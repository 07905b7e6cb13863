import { languageKeys } from '../../core/playbook/language/grammar.ts'
import type { MapDeclaration } from '../../core/playbook/language/key-table.ts'

/**
 * A table of the reference in docs/playbooks.md, without its formatting.
 *
 * @param named `retry`, or `step` with some of its keys behind it: `step if timeout`
 */
export function keysTable(named: string): string {
  const [map = '', ...some] = named.split(' ')
  const { keys, required = [] }: MapDeclaration = languageKeys[map as keyof typeof languageKeys]
  const rows = (some.length === 0 ? Object.keys(keys) : some).map((name) => {
    const { meaning, default: preset = '' } = keys[name]!
    return `| \`${name}\` | ${meaning} | ${required.includes(name) ? '**required**' : preset} |`
  })
  return `\n| key | meaning | default |\n| --- | --- | --- |\n${rows.join('\n')}\n\n`
}
