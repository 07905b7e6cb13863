import { isObject, own, textAt } from './json.ts'

/** The object in an error body, or `undefined` where the body is empty, HTML, plain text or broken. Never throws. */
export function errorObject(body: string): object | undefined {
  // Real ones are a few hundred characters; a large one is no error body, and is not worth the parse.
  if (body.length > 100_000) return undefined
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What the provider says about an error, one line of at most 300 characters; the services each have their own shape. */
export function errorText(body: string): string | undefined {
  const value = errorObject(body)
  const text =
    textAt(own(value, 'error'), 'message') ??
    textAt(own(value, 'status'), 'status_message') ??
    textAt(value, 'message') ??
    textAt(value, 'error') ??
    textAt(value, 'detail')
  return text
    ?.slice(0, 300)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
}
