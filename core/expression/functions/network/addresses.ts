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
import {
  isInside,
  isPrivate,
  masked,
  parseAddress,
  parseNetwork,
  writeAddress,
  type Address,
  type Network,
} from './ip.ts'

function address(value: Value, span: Span): Address {
  const found = parseAddress(stringArgument(value, span))
  if (found) return found
  throw invalidArgument(span, `'${shorten(stringArgument(value, span))}' is not an IP address`)
}

function cidrContains(_meter: Meter, span: Span, network: Value, ip: Value): Value {
  return isInside(address(ip, span), anyNetwork(network, span))
}

/** A network, or one address. */
function anyNetwork(value: Value, span: Span): Network {
  const found = parseNetwork(stringArgument(value, span))
  if (found) return found
  throw notNetwork(stringArgument(value, span), span)
}

const longestNetwork = 49

/** Undefined for an address without a length. */
const networkIn = (text: string): Network | undefined =>
  text.length <= longestNetwork && text.includes('/') ? parseNetwork(text) : undefined

/** A network with its length. */
function networkOf(value: Value, span: Span): Network {
  const text = stringArgument(value, span)
  const found = networkIn(text)
  if (found) return found
  throw notNetwork(text, span)
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

const writeNetwork = ({ address: base, bits }: Network): string => `${writeAddress(base)}/${bits}`

const onAddress =
  (run: (bytes: Address) => Value): FunctionBody =>
  (_meter, span, value) =>
    run(address(value, span))

const onNetwork =
  (run: (network: Network) => Value): FunctionBody =>
  (_meter, span, value) =>
    run(networkOf(value, span))

/** Whether the first bytes are these. */
function startsWith(...written: readonly string[]): (bytes: Address) => boolean {
  const networks = written.map((each) => parseNetwork(each)!)
  return (bytes) => networks.some((each) => isInside(bytes, each))
}

const isLoopback = startsWith('127.0.0.0/8', '::1/128')
const isUnspecified = startsWith('0.0.0.0/32', '::/128')
const isLinkLocal = startsWith('169.254.0.0/16', 'fe80::/10')
const isLinkLocalMulticast = startsWith('224.0.0.0/24', 'ff02::/16')
const isSpecial = startsWith('224.0.0.0/4', 'ff00::/8', '255.255.255.255/32')

/** As in Go: everything else, private addresses included. */
const isGlobalUnicast = (bytes: Address): boolean =>
  !isSpecial(bytes) && !isLoopback(bytes) && !isUnspecified(bytes) && !isLinkLocal(bytes)

function containsNetwork(_meter: Meter, span: Span, outer: Value, inner: Value): Value {
  const [whole, part] = [networkOf(outer, span), networkOf(inner, span)]
  return part.bits >= whole.bits && isInside(part.address, whole)
}

const test = (name: string, run: (bytes: Address) => boolean): ExpressionFunction =>
  method(name, ['string -> bool'], onAddress(run), { tries: [address], price: 4 })

export const addressFunctions: readonly ExpressionFunction[] = [
  global('cidrContains', ['string, string -> bool'], cidrContains, {
    tries: [tryNetwork, address],
    price: 10,
  }),
  global('isPrivateIp', ['string -> bool'], (_meter, span, ip) => isPrivate(address(ip, span)), {
    tries: [address],
    price: 3,
  }),
  global(
    'isIP',
    ['string -> bool'],
    (_meter, span, value) => parseAddress(stringArgument(value, span)) !== undefined,
    {
      price: 3,
    },
  ),
  global('ip', ['string -> string'], onAddress(writeAddress), { tries: [address], price: 5 }),
  global(
    'isCIDR',
    ['string -> bool'],
    (_meter, span, value) => networkIn(stringArgument(value, span)) !== undefined,
    { price: 4 },
  ),
  global('cidr', ['string -> string'], onNetwork(writeNetwork), { tries: [tryNetwork], price: 6 }),
  method(
    'family',
    ['string -> int'],
    onAddress((bytes) => (bytes.length === 4 ? 4n : 6n)),
    { tries: [address], price: 3 },
  ),
  test('isLoopback', isLoopback),
  test('isUnspecified', isUnspecified),
  test('isLinkLocalUnicast', isLinkLocal),
  test('isLinkLocalMulticast', isLinkLocalMulticast),
  test('isGlobalUnicast', isGlobalUnicast),
  method('containsIP', ['string, string -> bool'], cidrContains, { tries: [tryNetwork, address], price: 10 }),
  method('containsCIDR', ['string, string -> bool'], containsNetwork, {
    tries: [tryNetwork, tryNetwork],
    price: 10,
  }),
  method(
    'prefixLength',
    ['string -> int'],
    onNetwork(({ bits }) => BigInt(bits)),
    { tries: [tryNetwork], price: 5 },
  ),
  method(
    'masked',
    ['string -> string'],
    onNetwork((network) => writeNetwork(masked(network))),
    { tries: [tryNetwork], price: 8 },
  ),
]
