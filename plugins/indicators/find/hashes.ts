import { meaningOf } from '../key-meaning.ts'

/** MD5, SHA-1, SHA-256, SHA-512. */
const lengths = new Set([32, 40, 64, 128])

/** Hashes of the empty file, which every system has seen. */
const ofNothing = new Set([
  'd41d8cd98f00b204e9800998ecf8427e',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e',
])

// The last range are noncharacters, with which one ticket system marks encrypted text.
const word = /[\p{L}\p{M}\p{N}_\uFDD0-\uFDEF-]+/gu

/** Number of characters before a hash that are searched for its label. */
const maxLabel = 100
const keyInFront = /(?<![\w.-])([A-Za-z][\w.-]{0,40})["'*`\\]{0,3}\s?[:=]\s{0,2}["'(*`\\]{0,3}$/
const fingerprintInFront =
  /(?<![a-z0-9])(?:imphash|imp hash|import hash|ja3s?|ja4\w{0,4}|hassh\w{0,6}|tlsh|ssdeep|authentihash)(?:[\W_]{1,3}(?:hash|fingerprint|digest|md5|value|is|was|of|the|client|server)){0,3}["'*`]{0,2}[\W_]{1,3}(?:\d{1,8}:(?:[a-z0-9+/]{1,64}:)?)?$/i

/** `IMPHASH=…`, `session_id: …`, `JA3 fingerprint …`: keys in text mean the same as in JSON. */
function isOfSomethingElse(before: string): boolean {
  const key = keyInFront.exec(before)?.[1]
  const meaning = key === undefined ? undefined : meaningOf(key)
  if (meaning?.hash !== 'file' && (meaning?.hash === 'other' || meaning?.id || meaning?.ignored)) return true
  return fingerprintInFront.test(before)
}

/** File hashes in running text, lower case; not UUIDs, nor tokens of only digits or only letters. */
export function findHashes(text: string): string[] {
  const found: string[] = []
  for (const { 0: token, index } of text.matchAll(word)) {
    if (!lengths.has(token.length) || !/^[0-9a-f]+$/i.test(token)) continue
    if (isOfSomethingElse(text.slice(Math.max(0, index - maxLabel), index))) continue
    const hash = token.toLowerCase()
    const isPlaceholder = /^(.)\1*$/.test(hash) || /^\d+$/.test(hash) || /^[a-f]+$/.test(hash)
    if (!isPlaceholder && !ofNothing.has(hash)) found.push(hash)
  }
  return found
}

/** CVE ids, upper case; typographic hyphens are accepted. */
export function findVulnerabilities(text: string): string[] {
  return [...text.matchAll(/(?<![A-Za-z0-9])CVE[-‐-–_](\d{4})[-‐-–_](\d{4,19})(?!\d)/gi)].map(
    ([, year, number]) => `CVE-${year}-${number}`,
  )
}
