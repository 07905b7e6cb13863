/** The terms that classify skills and interfaces. */

/**
 * Class of a destructive skill: `containment` isolates or restores a machine, account or session; `blocking`
 * blocks or allows a value; `deletion` removes data; `execution` runs something on a machine, such as a scan
 * or a script. Each has its own hourly limit.
 */
export const destructiveClasses = ['containment', 'blocking', 'deletion', 'execution'] as const
export type DestructiveClass = (typeof destructiveClasses)[number]

/** Kinds of observable that alerts contain and skills can enrich. */
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
 * `ip` IPv4 or IPv6 address · `domain` registrable or deeper DNS name · `url` absolute http(s)/ftp address ·
 * `hash` MD5, SHA-1, SHA-256 or SHA-512 in hex · `email` address · `host` machine name · `user` account name
 * · `vulnerability` CVE id · `company` company name or id.
 */
export type ObservableKind = (typeof observableKinds)[number]
