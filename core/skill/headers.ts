import { SkillError } from '../plugin/index.ts'

/** Headers that decide how the message is framed or where it goes; they are ours to set. */
const reserved = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
])
const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

export function isHeaderValue(value: string): boolean {
  return headerValue.test(value)
}

/**
 * The headers that a skill sets, names in lower case.
 *
 * @throws SkillError `bad_header`; values are not shown
 */
export function checkHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([mixed, value]) => {
      const name = mixed.toLowerCase()
      if (!headerName.test(name) || reserved.has(name)) {
        throw new SkillError('bad_header', `the header ${JSON.stringify(name.slice(0, 100))} cannot be set`)
      }
      if (!isHeaderValue(value)) {
        throw new SkillError(
          'bad_header',
          `the value of header '${name}' holds characters that headers cannot hold`,
        )
      }
      return [name, value]
    }),
  )
}
