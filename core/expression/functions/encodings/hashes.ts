import { createHash, createHmac } from 'node:crypto'
import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import { shorten } from '../../values/time.ts'
import type { Value } from '../../values/values.ts'
import {
  global,
  invalidArgument,
  stringArgument,
  type ExpressionFunction,
  type FunctionBody,
} from '../function.ts'

const algorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const
type Algorithm = (typeof algorithms)[number]

/** The text to hash; pays for its bytes. */
function content(value: Value, meter: Meter, span: Span): string {
  const source = stringArgument(value, span)
  meter.read(source.length * 4, span)
  return source
}

/** Some systems allow only certain algorithms. */
function available<T>(algorithm: Algorithm, span: Span, run: () => T): T {
  try {
    return run()
  } catch {
    throw invalidArgument(span, `this system does not allow ${algorithm}`)
  }
}

const hash =
  (algorithm: Algorithm): FunctionBody =>
  (meter, span, value) => {
    const source = content(value, meter, span)
    return available(algorithm, span, () => createHash(algorithm).update(source, 'utf8').digest('hex'))
  }

function algorithmOf(name: Value | undefined, span: Span): Algorithm {
  const written = name === undefined ? 'sha256' : stringArgument(name, span)
  const found = algorithms.find((each) => each === written)
  if (found) return found
  const hint = `it is one of ${algorithms.join(', ')}`
  throw invalidArgument(span, `'${shorten(written)}' is not a hash algorithm`, hint)
}

function hmac(meter: Meter, span: Span, value: Value, key: Value, name: Value | undefined): Value {
  const algorithm = algorithmOf(name, span)
  const [source, secret] = [content(value, meter, span), content(key, meter, span)]
  return available(algorithm, span, () => createHmac(algorithm, secret).update(source, 'utf8').digest('hex'))
}

export const hashFunctions: readonly ExpressionFunction[] = [
  ...algorithms.map((name) => global(name, ['string -> string'], hash(name), { price: 4 })),
  global('hmac', ['string, string -> string', 'string, string, string -> string'], hmac, {
    tries: [undefined, undefined, algorithmOf],
    price: 8,
  }),
]
