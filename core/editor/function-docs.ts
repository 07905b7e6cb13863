/** The documentation of functions and macros. A test keeps it equal to docs/expressions.md. */
export interface FunctionDoc {
  readonly signature: string
  readonly meaning: string
  readonly example: string
}

const rows: readonly (readonly [signature: string, meaning: string, example: string])[] = [
  ['has(a.b)', 'the field exists, even if it is null', 'has({"a": null}.a)'],
  ['list.all(x, condition)', 'the condition is true for every element', '[1, 2].all(x, x > 0)'],
  ['list.exists(x, condition)', 'the condition is true for at least one element', '[1, 2].exists(x, x > 1)'],
  [
    'list.exists_one(x, condition)',
    'the condition is true for exactly one element',
    '[1, 2].exists_one(x, x > 0)',
  ],
  ['list.filter(x, condition)', 'the elements for which the condition is true', '[1, 2, 3].filter(x, x > 1)'],
  ['list.map(x, value)', 'a value for each element', '[1, 2].map(x, x * 10)'],
  [
    'list.map(x, condition, value)',
    'a value for each element for which the condition is true',
    '[1, 2].map(x, x > 1, x * 10)',
  ],
  [
    'cel.bind(name, value, expression)',
    'names a value that is used several times',
    'cel.bind(n, 2 + 3, n * n)',
  ],
  [
    'optional.optMap(x, value)',
    'a value computed from the value of an optional',
    'optional.of(2).optMap(x, x * 2).orValue(0)',
  ],
  [
    'optional.optFlatMap(x, optional)',
    'the same, for a value that is itself optional',
    'optional.of({"a": 1}).optFlatMap(x, x.?a).orValue(0)',
  ],
  ['size(value) -> int', 'characters of text, elements of a list, entries of a map', 'size("abc")'],
  ['value.size() -> int', 'the same', '[1, 2].size()'],
  [
    'type(value) -> type',
    '`null_type bool int double string list map type optional_type` or a time',
    'type("a") == string',
  ],
  ['dyn(value) -> any', 'the value, without its static type', 'dyn(1) == dyn("1")'],
  [
    'int(value) -> int',
    'from a number (truncated), string, timestamp (seconds since 1970) or duration (seconds)',
    'int("42") + int(1.9)',
  ],
  ['double(value) -> double', 'from a number or text', 'double("1.5")'],
  ['string(value) -> string', 'from a number, bool, timestamp or duration', 'string(1.0)'],
  ['bool(text) -> bool', 'from `true`, `false`, `1`, `0`, `t`, `f`', 'bool("true")'],
  ['json(value) -> string', 'as JSON text', 'json({"a": [1, null]})'],
  ['parseJson(text) -> any', 'from JSON text', 'parseJson("[1]")[0]'],
  ['text.contains(part) -> bool', 'the part occurs', '"phishing".contains("fish")'],
  ['text.startsWith(part) -> bool', 'the text starts with the part', '"https://x".startsWith("https:")'],
  ['text.endsWith(part) -> bool', 'the text ends with the part', '"a.exe".endsWith(".exe")'],
  [
    'text.matches(pattern) -> bool',
    'the [RE2](https://github.com/google/re2/wiki/Syntax) pattern occurs; `^` and `$` for the whole',
    '"CVE-2026-1".matches("^CVE-[0-9]+")',
  ],
  ['matches(text, pattern) -> bool', 'the same', 'matches("abc", "^b")'],
  ['text.charAt(index) -> string', 'a character; empty at the end', '"abc".charAt(1)'],
  ['text.indexOf(part[, from]) -> int', 'position of the first occurrence, or -1', '"a.b.c".indexOf(".", 2)'],
  [
    'text.lastIndexOf(part[, from]) -> int',
    'position of the last occurrence, or -1',
    '"a.b.c".lastIndexOf(".")',
  ],
  [
    'text.substring(from[, to]) -> string',
    'the part from `from` up to, but not including, `to`',
    '"abcdef".substring(1, 3)',
  ],
  [
    'text.replace(part, by[, times]) -> string',
    'replaces every occurrence, or the first few',
    '"a-b-c".replace("-", "+", 1)',
  ],
  [
    'text.split(by[, pieces]) -> list(string)',
    'the pieces; with a limit, the last one keeps the rest',
    '"a,b,c".split(",", 2)',
  ],
  ['list.join([between]) -> string', 'joins a list of strings', '["a", "b"].join(", ")'],
  ['text.lowerAscii() -> string', 'lower case of A to Z', '"Dana@Example.COM".lowerAscii()'],
  ['text.upperAscii() -> string', 'upper case of a to z', '"high".upperAscii()'],
  [
    'text.shorten(length) -> string',
    'at most this many characters; `…` marks a cut',
    '"suspicious".shorten(5)',
  ],
  ['text.trim() -> string', 'without white space at the ends', '"  a b ".trim()'],
  ['text.reverse() -> string', 'from the last character to the first', '"abc".reverse()'],
  [
    'text.format(list) -> string',
    'fills in `%s %d %f %e %x %X %o %b`, with a precision such as `%.2f`',
    '"%s: %.1f%%".format(["risk", 12.34])',
  ],
  ['strings.quote(text) -> string', 'in quotes, with escapes', 'strings.quote("a\\tb")'],
  [
    'timestamp(value) -> timestamp',
    'from RFC 3339 text or seconds since 1970',
    'timestamp("2026-03-01T09:00:00+01:00")',
  ],
  ['duration(value) -> duration', 'from text with `w d h m s ms us ns`, or seconds', 'duration("1h30m")'],
  ['time.getFullYear([zone]) -> int', 'the year', 'timestamp("2026-03-01T08:05:09Z").getFullYear()'],
  ['time.getMonth([zone]) -> int', 'the month, **from 0**', 'timestamp("2026-03-01T08:05:09Z").getMonth()'],
  [
    'time.getDate([zone]) -> int',
    'the day of the month, from 1',
    'timestamp("2026-03-01T08:05:09Z").getDate()',
  ],
  [
    'time.getDayOfMonth([zone]) -> int',
    'the day of the month, **from 0**',
    'timestamp("2026-03-01T08:05:09Z").getDayOfMonth()',
  ],
  ['time.getDayOfWeek([zone]) -> int', '0 is Sunday', 'timestamp("2026-03-01T08:05:09Z").getDayOfWeek()'],
  ['time.getDayOfYear([zone]) -> int', 'from 0', 'timestamp("2026-03-01T08:05:09Z").getDayOfYear()'],
  [
    'time.getHours([zone]) -> int',
    'the hour; of a duration all its hours',
    'timestamp("2026-03-01T08:05:09Z").getHours("+02:00")',
  ],
  [
    'time.getMinutes([zone]) -> int',
    'the minute; of a duration all its minutes',
    'duration("90m").getMinutes()',
  ],
  [
    'time.getSeconds([zone]) -> int',
    'the second; of a duration all its seconds',
    'duration("90m").getSeconds()',
  ],
  [
    'time.getMilliseconds([zone]) -> int',
    'the milliseconds within the second',
    'timestamp("2026-03-01T08:05:09.250Z").getMilliseconds()',
  ],
  [
    'optional.orValue(default) -> any',
    'the value, or the default if there is none',
    '{"a": 1}.?a.orValue(0)',
  ],
  [
    'optional.or(optional) -> optional',
    'the first of two that has a value',
    'optional.none().or(optional.of(2)).orValue(0)',
  ],
  ['optional.hasValue() -> bool', 'whether there is a value', 'optional.of(null).hasValue()'],
  ['optional.value() -> any', 'the value; an error if there is none', 'optional.of("a").value()'],
  ['optional.of(value) -> optional', 'an optional with a value', '[?optional.of(1), 2]'],
  [
    'optional.ofNonZeroValue(value) -> optional',
    'nothing for `""`, `0`, `false`, `null`, `[]`, `{}`',
    '{?"a": optional.ofNonZeroValue("")}',
  ],
  ['optional.none() -> optional', 'an optional without a value', 'optional.none().hasValue()'],
  [
    'cidrContains(network, ip) -> bool',
    'the address is in the network; IPv4 or IPv6',
    'cidrContains("10.0.0.0/8", "10.1.2.3")',
  ],
  [
    'isPrivateIp(ip) -> bool',
    'private, loopback, link-local, shared (100.64.0.0/10), unspecified',
    'isPrivateIp("192.168.1.1")',
  ],
  [
    'domainOf(text) -> string',
    'the host of a URL, e-mail address or host name, in lower case',
    'domainOf("https://Mail.Example.com:8443/login")',
  ],
  ['defang(text) -> string', 'makes links and addresses unclickable', 'defang("https://evil.example/a")'],
  ['refang(text) -> string', 'the reverse, for common notations', 'refang("hxxps://evil[.]example")'],
  ['sha256(text) -> string', 'SHA-256 of the UTF-8 bytes, in hex', 'sha256("abc").substring(0, 16)'],
  ['base64(text) -> string', 'of the UTF-8 bytes', 'base64("héllo")'],
  [
    'base64Decode(text) -> string',
    'the reverse, also of the URL-safe alphabet; an error if the result is not UTF-8',
    'base64Decode("aMOpbGxv")',
  ],
  [
    'text.urlEncode() -> string',
    'percent-encodes everything except letters, digits and `-._~`, for one part of a URL',
    '"a/b c".urlEncode()',
  ],
  ['urlEncode(text) -> string', 'the same', 'urlEncode("a/b c")'],
]

export const functionDocs: readonly FunctionDoc[] = rows.map(([signature, meaning, example]) => ({
  signature,
  meaning,
  example,
}))

const namespaces = /^(?:cel|strings)\.|^optional\.(?:of|ofNonZeroValue|none)\(/

/** The name in a call: `.contains` for a method, `size` for a function, `cel.bind` with a namespace. */
export function calledName({ signature }: FunctionDoc): string {
  const name = signature.slice(0, signature.indexOf('('))
  return namespaces.test(signature) || !name.includes('.') ? name : name.slice(name.indexOf('.'))
}

const byName = Map.groupBy(functionDocs, calledName)

/** Every way to call a function; `isMethod` for `value.name(…)`. */
export function docsOf(name: string, isMethod: boolean): readonly FunctionDoc[] {
  return byName.get(isMethod ? `.${name}` : name) ?? []
}
