import type { PointedMessage } from '../errors/errors.ts'

/** The last word of an address. */
const routeWord = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** What a connection declares about calls from outside. */
export function checkInbound(
  connection: Readonly<Record<string, unknown>>,
  problems: PointedMessage[],
): void {
  const say = (place: string, message: string): number =>
    problems.push({ pointer: `/connection${place}`, message })
  const { inbound, manifest } = connection
  if (manifest !== undefined && typeof manifest !== 'function') say('/manifest', 'must be a function')
  if (inbound === undefined) return
  if (typeof inbound !== 'object' || inbound === null) {
    say('/inbound', 'must be an object of functions, by the last word of their address')
    return
  }
  for (const [word, handler] of Object.entries(inbound)) {
    if (!routeWord.test(word)) {
      say('/inbound', `'${word}' must be lower-case letters, digits and single hyphens`)
    } else if (typeof handler !== 'function') say(`/inbound/${word}`, 'must be a function')
  }
}
