/** An integer that a number of JavaScript cannot hold stays as it was written, so that it is shown as it is. */
function keepInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const beyond = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
  return beyond && context?.source !== undefined ? context.source : value
}

/** JSON as the API writes it. Integers beyond 2^53 become their decimal text (where the browser tells it). */
export function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger)
}
