/** The kinds of observable that can be found in an alert and that a skill can declare to enrich. */
export const observableKinds = [
  'ip',
  'domain',
  'url',
  'hash',
  'email',
  'host',
  'user',
  'vulnerability',
  'company',
] as const

/**
 * `ip` IPv4 or IPv6 address · `domain` registrable or deeper DNS name · `url` absolute http(s)/ftp address · `hash` MD5, SHA-1,
 * SHA-256 or SHA-512 in hex · `email` address · `host` machine name · `user` account name · `vulnerability` CVE id ·
 * `company` company name or id.
 */
export type ObservableKind = (typeof observableKinds)[number]
