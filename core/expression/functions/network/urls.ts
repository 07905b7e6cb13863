import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import type { Value } from '../../values/values.ts'
import {
  global,
  invalidArgument,
  method,
  stringArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'

/** Placeholder base of a path without a host. */
const nowhere = 'http://-'

/** A URL as browsers read it; undefined for other texts. An absolute path is also accepted. */
function parseUrl(text: string): URL | undefined {
  const isPath = text.startsWith('/') && !/^[/\\]{2}/.test(text)
  return URL.parse(text, isPath ? nowhere : undefined) ?? undefined
}

/** A URL without white space around it, paid for. */
function pay(value: Value, meter: Meter, span: Span): string {
  const text = stringArgument(value, span)
  meter.rewrite(text.length, span)
  meter.allocateText(text.length * 3, span)
  // Browsers ignore this white space. The patterns below would be slow for large amounts of it.
  return text.trim()
}

function tryUrl(text: string, span: Span): void {
  if (parseUrl(text) === undefined) throw notUrl(text, span)
}

const notUrl = (text: string, span: Span) =>
  invalidArgument(span, `'${shorten(text)}' is not a URL`, 'write it like https://example.com/path')

const part =
  (read: (url: URL, text: string, meter: Meter, span: Span) => Value): FunctionBody =>
  (meter, span, value) => {
    const text = pay(value, meter, span)
    const url = parseUrl(text)
    if (url) return read(url, text, meter, span)
    throw notUrl(text, span)
  }

const hasHost = (url: URL): boolean => url.host !== '' && !url.href.startsWith(`${nowhere}/`)

/** Browsers leave the usual port of a scheme out. */
function portOf(url: URL, text: string): string {
  if (url.port !== '' || !hasHost(url)) return url.port
  const [, authority = ''] = /^[^:/?#]+:[/\\]*([^/\\?#]*)/.exec(text) ?? []
  return /:(\d+)$/.exec(authority)?.[1] ?? ''
}

function hostOf(url: URL, text: string): string {
  if (!hasHost(url)) return ''
  const port = portOf(url, text)
  return port === '' ? url.hostname : `${url.hostname}:${port}`
}

/** Without the brackets of IPv6. */
const hostnameOf = (url: URL): string => (hasHost(url) ? url.hostname.replace(/^\[|\]$/g, '') : '')

/** Browsers add a slash to a URL without a path. */
function pathOf(url: URL, text: string): string {
  const isAdded = url.pathname === '/' && /^[^:/?#]+:[/\\]*[^/\\?#]*(?:[?#]|$)/.test(text)
  return isAdded ? '' : url.pathname
}

function queryOf(url: URL, meter: Meter, span: Span): Value {
  const result = Object.create(null) as Record<string, string[]>
  for (const [name, value] of url.searchParams) {
    meter.spend(1, span)
    meter.allocate(64, span)
    ;(result[name] ??= []).push(value)
  }
  return result
}

const methodOf = (name: string, run: FunctionBody, signature = 'string -> string'): ExpressionFunction =>
  method(name, [signature], run, { tries: [tryUrl], price: 6 })

export const urlFunctions: readonly ExpressionFunction[] = [
  global(
    'url',
    ['string -> string'],
    part((_url, text) => text),
    { tries: [tryUrl], price: 6 },
  ),
  global(
    'isURL',
    ['string -> bool'],
    (meter, span, value) => parseUrl(pay(value, meter, span)) !== undefined,
    { price: 6 },
  ),
  methodOf(
    'getScheme',
    part((url) => (url.href.startsWith(`${nowhere}/`) ? '' : url.protocol.slice(0, -1))),
  ),
  methodOf('getHost', part(hostOf)),
  methodOf('getHostname', part(hostnameOf)),
  methodOf('getPort', part(portOf)),
  methodOf('getEscapedPath', part(pathOf)),
  methodOf(
    'getQuery',
    part((url, _text, meter, span) => queryOf(url, meter, span)),
    'string -> map of strings',
  ),
]
