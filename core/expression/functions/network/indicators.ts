import { parse } from 'tldts'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import { Optional, type Value } from '../../values/values.ts'
import {
  global,
  invalidArgument,
  stringArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'
import { parseAddress } from './ip.ts'

/** The host of a URL, of an e-mail address or of a bare host, in lower case and without a final dot. */
function hostIn(given: string): string | undefined {
  let host = given.trim()
  const scheme = host.indexOf('://')
  if (scheme >= 0) host = host.slice(scheme + 3)
  host = host.slice(0, host.search(/[/?#\\]|$/))
  host = host.slice(host.lastIndexOf('@') + 1)
  const found =
    /^\[([^\]]*)\](:\d*)?$/.exec(host)?.[1] ?? (host.split(':').length > 2 ? host : host.replace(/:\d*$/, ''))
  const name = found.replace(/\.$/, '').toLowerCase()
  return (name !== '' && !/[\s:]/.test(name)) || parseAddress(name) ? name : undefined
}

function domainOf(meter: Meter, span: Span, value: Value): Value {
  const given = stringArgument(value, span)
  meter.allocateText(given.length, span)
  const host = hostIn(given)
  if (host !== undefined) return host
  throw invalidArgument(
    span,
    `'${shorten(given)}' has no domain`,
    'give a URL, an e-mail address or a host name',
  )
}

/** The longest name of DNS. */
const longestName = 253

/** A part of the host by the Public Suffix List, whose private part counts too: `github.io` is a suffix. */
const partOf =
  (read: (parts: ReturnType<typeof parse>) => string | null): FunctionBody =>
  (meter, span, value) => {
    const given = stringArgument(value, span)
    meter.allocateText(given.length, span)
    const host = hostIn(given)
    if (host === undefined || host.length > longestName) return Optional.none
    const parts = parse(host, { extractHostname: false, validateHostname: false, allowPrivateDomains: true })
    const found = parts.isIcann === true || parts.isPrivate === true ? read(parts) : null
    return found === null || found === '' ? Optional.none : new Optional(found)
  }

/** Each replacement is a single pass, so this is linear. */
function rewrite(...changes: readonly (readonly [RegExp, string])[]) {
  return (meter: Meter, span: Span, value: Value): Value => {
    let result = stringArgument(value, span)
    for (const [pattern, replacement] of changes) {
      meter.allocateText(result.length * 2, span)
      result = result.replace(pattern, replacement)
    }
    return result
  }
}

const defang = rewrite(
  [/\bhttp(s?):\/\//gi, 'hxxp$1://'],
  [/\bftp:\/\//gi, 'fxp://'],
  [/(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}_-])/gu, '[.]'],
  [/(?<=[\p{L}\p{N}._+-])@(?=[\p{L}\p{N}])/gu, '[@]'],
)

const refang = rewrite(
  [/\bhxxp(s?)(?=:|\[:)/gi, 'http$1'],
  [/\bfxp(?=:|\[:)/gi, 'ftp'],
  [/\[:\/\/\]/g, '://'],
  [/\[:\]/g, ':'],
  [/\[\.\]|\(\.\)|\{\.\}|\[dot\]|\(dot\)/gi, '.'],
  [/\[@\]|\(@\)|\[at\]|\(at\)/gi, '@'],
)

export const indicatorFunctions: readonly ExpressionFunction[] = [
  global('domainOf', ['string -> string'], domainOf, { price: 3 }),
  global(
    'registeredDomain',
    ['string -> optional string'],
    partOf(({ domain }) => domain),
    { price: 6 },
  ),
  global(
    'publicSuffix',
    ['string -> optional string'],
    partOf(({ publicSuffix }) => publicSuffix),
    { price: 6 },
  ),
  global('defang', ['string -> string'], defang, { price: 4 }),
  global('refang', ['string -> string'], refang, { price: 4 }),
]
