// Not yet in TypeScript's library, and not in every browser.
interface JsonWithSource {
  rawJSON?(text: string): unknown
  parse(
    text: string,
    reviver: (key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown
}
const sourceJson = JSON as unknown as JsonWithSource
const integerLiteral = /^-?\d+$/

/**
 * A number as it was typed, for a JSON body. An integer beyond 2^53 keeps its digits; what cannot be sent as a number stays
 * text, which the API refuses, rather than become another number.
 */
export function typedNumber(text: string): unknown {
  const number = Number(text)
  if (!integerLiteral.test(text)) return Number.isFinite(number) ? number : text
  return Number.isSafeInteger(number) ? number : (sourceJson.rawJSON?.(String(BigInt(text))) ?? text)
}

/**
 * JSON as it was typed, with the digits of its integers.
 *
 * @throws SyntaxError where it is none
 */
export const typedJson = (text: string): unknown =>
  sourceJson.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && integerLiteral.test(context.source)
      ? typedNumber(context.source)
      : value,
  )
