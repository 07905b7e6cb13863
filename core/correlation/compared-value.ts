import { stringifyJson } from '../common/json.ts'

/** The text that a rule compares for a value, or the reason why the value cannot relate alerts. */
export type ComparedValue = { readonly text: string } | 'missing' | 'common'

/** Values that alerts of unrelated incidents share, in lower case: placeholders, built-in accounts, hashes of nothing. */
const commonValues: ReadonlySet<string> = new Set([
  'unknown',
  'n/a',
  'na',
  'none',
  'null',
  'nil',
  'undefined',
  'not available',
  'not set',
  'default',
  'other',
  'test',
  'user',
  'host',
  'localhost',
  'localhost.localdomain',
  'true',
  'false',
  '0',
  '1',
  'root',
  'admin',
  'administrator',
  'system',
  'local system',
  'local service',
  'network service',
  'nt authority\\system',
  'nt authority\\local service',
  'nt authority\\network service',
  'anonymous',
  'anonymous logon',
  'guest',
  'service',
  'nobody',
  'everyone',
  '0.0.0.0',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:0',
  '0:0:0:0:0:0:0:1',
  '00000000-0000-0000-0000-000000000000',
  // MD5, SHA-1 and SHA-256 of an empty file.
  'd41d8cd98f00b204e9800998ecf8427e',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
])

/** Loopback addresses, and the first and last address of a private network, which are mostly gateways. */
const commonAddress =
  /^(?:127(?:\.\d{1,3}){3}|(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3})?\.(?:1|254))$/

/** Values are compared as text, without surrounding space and ignoring case: `Ana@Example.com` is `ana@example.com`. */
export function comparedValue(value: unknown): ComparedValue {
  if (value === null || value === undefined) return 'missing'
  if (Array.isArray(value) && value.every((item) => typeof comparedValue(item) === 'string'))
    return value.some((item) => comparedValue(item) === 'common') ? 'common' : 'missing'
  if (typeof value === 'object' && Object.keys(value).length === 0) return 'missing'
  const text = (typeof value === 'string' ? value : stringifyJson(value))
    .normalize('NFKC')
    .trim()
    .toLowerCase()
  if (!/[\p{L}\p{N}]/u.test(text)) return 'missing'
  return commonValues.has(text) || commonAddress.test(text) ? 'common' : { text }
}
