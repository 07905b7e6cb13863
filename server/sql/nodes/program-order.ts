import packageJson from '../../../package.json' with { type: 'json' }

/** Numbers of more digits sort behind those of fewer. */
const ordered = (digits: string): string =>
  String.fromCharCode('a'.charCodeAt(0) + digits.length - 1) + digits

/**
 * A text of a semantic version that databases sort by bytes as versions are ordered: `1.10.0-rc.2` before `1.10.0`, after `1.9.0`. Build
 * metadata do not count. An empty text sorts before all.
 *
 * @throws Error if it is no semantic version
 */
export function orderedVersion(version: string): string {
  const found = /^(\d{1,20})\.(\d{1,20})\.(\d{1,20})(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(version)
  if (found === null) throw new Error(`'${version}' is no semantic version`)
  const [major, minor, patch, before] = found.slice(1)
  const numbers = [major, minor, patch].map((digits = '') => ordered(digits)).join('')
  // A release follows its previews. An end sorts before every character of a name, and numbers before names.
  if (before === undefined) return `${numbers}~`
  const parts = before.split('.').map((part) => (/^\d{1,20}$/.test(part) ? `#${ordered(part)}` : `=${part}`))
  return `${numbers}-${parts.map((part) => `${part}!`).join('')}`
}

/** The version of such a text; undefined for an empty one. */
export function versionOfOrdered(text: string): string | undefined {
  const found = /^([a-t]\d+)([a-t]\d+)([a-t]\d+)([~-])(.*)$/.exec(text)
  if (found === null) return undefined
  const [major, minor, patch, kind, before = ''] = found.slice(1)
  const numbers = [major, minor, patch].map((part = '') => part.slice(1)).join('.')
  if (kind === '~') return numbers
  const parts = before.split('!').slice(0, -1)
  return `${numbers}-${parts.map((part) => part.slice(part.startsWith('#') ? 2 : 1)).join('.')}`
}

/** Of this program. */
export const ownProgram = orderedVersion(packageJson.version)
