import type { Meter } from '../../values/budget.ts'
import type { Span } from '../../values/errors.ts'
import type { Value } from '../../values/values.ts'
import { global, stringArgument, type ExpressionFunction } from '../function.ts'

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
  global('defang', ['string -> string'], defang, { price: 4 }),
  global('refang', ['string -> string'], refang, { price: 4 }),
]
