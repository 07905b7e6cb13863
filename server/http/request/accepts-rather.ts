/** Whether an `Accept` header (RFC 9110, 12.5.1) prefers this type to JSON. */
export function acceptsRather(accept: string | undefined, type: string): boolean {
  const weights = new Map((accept ?? '').split(',').map(readRange))
  const own = weights.get(type) ?? 0
  return own > 0 && own > (weights.get('application/json') ?? 0)
}

function readRange(text: string): readonly [type: string, weight: number] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const number = weight === undefined ? 1 : Number(weight)
  return [type, Number.isFinite(number) ? number : 0]
}
