import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import type { Value } from '../../values/values.ts'
import { global, invalidArgument, stringArgument, type ExpressionFunction } from '../function.ts'
import { isInside, isPrivate, parseAddress, parseNetwork, type Address } from './ip.ts'

function address(value: Value, span: Span): Address {
  const found = parseAddress(stringArgument(value, span))
  if (found) return found
  throw invalidArgument(span, `'${shorten(stringArgument(value, span))}' is not an IP address`)
}

function cidrContains(_meter: Meter, span: Span, network: Value, ip: Value): Value {
  const range = parseNetwork(stringArgument(network, span))
  if (range) return isInside(address(ip, span), range)
  throw notNetwork(stringArgument(network, span), span)
}

/** A literal network needs its prefix length: a plain address would match only itself. */
function tryNetwork(written: string, span: Span): void {
  if (parseAddress(written)) {
    const length = written.includes(':') ? '/64' : '/8'
    throw invalidArgument(
      span,
      `'${shorten(written)}' is one address, not a network`,
      `write its length behind it, as in ${written}${length}; one address is compared with ==`,
    )
  }
  if (!parseNetwork(written)) throw notNetwork(written, span)
}

const notNetwork = (written: string, span: Span) =>
  invalidArgument(span, `'${shorten(written)}' is not a network`, 'write it like 10.0.0.0/8')

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

/** The host of a URL, of an e-mail address or of a bare host, in lower case and without a final dot. */
function domainOf(meter: Meter, span: Span, value: Value): Value {
  const given = stringArgument(value, span)
  meter.allocateText(given.length, span)
  let host = given.trim()
  const scheme = host.indexOf('://')
  if (scheme >= 0) host = host.slice(scheme + 3)
  host = host.slice(0, host.search(/[/?#\\]|$/))
  host = host.slice(host.lastIndexOf('@') + 1)
  const found =
    /^\[([^\]]*)\](:\d*)?$/.exec(host)?.[1] ?? (host.split(':').length > 2 ? host : host.replace(/:\d*$/, ''))
  const name = found.replace(/\.$/, '').toLowerCase()
  if (name !== '' && !/[\s:]/.test(name)) return name
  if (parseAddress(name)) return name
  throw invalidArgument(
    span,
    `'${shorten(given)}' has no domain`,
    'give a URL, an e-mail address or a host name',
  )
}

export const indicatorFunctions: readonly ExpressionFunction[] = [
  global('cidrContains', ['string, string -> bool'], cidrContains, {
    tries: [tryNetwork, address],
    price: 10,
  }),
  global('isPrivateIp', ['string -> bool'], (_meter, span, ip) => isPrivate(address(ip, span)), {
    tries: [address],
    price: 3,
  }),
  global('defang', ['string -> string'], defang, { price: 4 }),
  global('refang', ['string -> string'], refang, { price: 4 }),
  global('domainOf', ['string -> string'], domainOf, { price: 3 }),
]
