import { setTimeout as sleep } from 'node:timers/promises'
import { once } from '../../common/once.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress } from '../../ports/egress.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import { openConnection } from '../../skill/connection/open-connection.ts'
import { createVerifier, exchangeCode } from '../../skill/sign-in/grants.ts'
import type { ConnectionDefinition } from '../index.ts'
import { createTraffic, type Traffic } from '../../skill/http/traffic.ts'

/** Real time, or from `startMs` on, time that advances only during waits. */
export function testClock(startMs?: number): Clock {
  let slept = 0
  return {
    now: () => (startMs === undefined ? Date.now() : startMs + slept),
    async sleep(ms, signal) {
      try {
        await sleep(ms, undefined, { signal })
      } catch (error) {
        throw signal.aborted ? signal.reason : error
      }
      slept += ms
    },
  }
}

/** With a fixed token; null: with none, so that the first request fetches one. */
export function testTraffic(clock: Clock, token: string | null): Traffic {
  const traffic = createTraffic(clock)
  if (token === null) return traffic
  return {
    ...traffic,
    tokens: { get: async () => token, replace: async () => undefined, forget() {} },
  }
}

interface SignInSurroundings {
  readonly egress: Egress
  readonly clock: Clock
  readonly traffic: Traffic
  readonly token: string | null
}

/** A connection whose sign-in has the given token. Without a token, it signs in to its sandbox. */
export function signedIn<C extends OpenConnection>(
  definition: ConnectionDefinition,
  open: C,
  surroundings: SignInSurroundings,
): C {
  if (definition.signIn === undefined) return open
  const get = once(() => {
    const { token } = surroundings
    return token === null ? signInToSandbox(definition, open, surroundings) : Promise.resolve(token)
  })
  return { ...open, tokens: { client: '', get, replace: async () => undefined } }
}

/** See `issueSignIns`. */
async function signInToSandbox(
  definition: ConnectionDefinition,
  open: OpenConnection,
  options: SignInSurroundings,
): Promise<string> {
  const ready = openConnection(definition, open)
  const target = ready.target.signIn!
  const { verifier, challenge } = createVerifier()
  const redirectUri = 'http://127.0.0.1/oauth/callback/test'
  const url = `${target.authorizeUrl({ redirectUri, state: 'test', challenge })}&consent=allow`
  const signal = AbortSignal.timeout(10_000)
  const { headers } = await options.egress.send({ method: 'GET', url, headers: {}, body: undefined, signal })
  const code = URL.parse(headers['location'] ?? '')?.searchParams.get('code')
  if (!code)
    throw new Error('the sandbox gave no code: its authorization endpoint is `issueSignIns().authorize`')
  const call = { open, definition, ready, target }
  const { access } = await exchangeCode(options, call, { code, redirectUri, verifier }, signal)
  return access.reveal()
}
