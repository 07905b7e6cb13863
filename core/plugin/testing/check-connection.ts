import type { Authenticated, ConnectionDefinition, JsonSchema } from '../index.ts'
import { tryConnection } from '../../skill/call/authenticate.ts'
import { cannedEgress, type SentRequest } from './canned-egress.ts'
import { testConnection } from './memory-stores.ts'
import type { RunSkillOptions } from './run-skill.ts'
import { signedIn, testClock, testTraffic } from './test-surroundings.ts'

/** As for `runSkill`; a token is fetched unless one is given. */
export type CheckConnectionOptions = Pick<
  RunSkillOptions,
  'replies' | 'egress' | 'token' | 'signal' | 'now'
> & {
  readonly settings: Readonly<Record<string, unknown>>
}

/** Logs of the plugin, and requests sent through `replies`. */
export interface ConnectionCheck extends Authenticated {
  readonly requests: readonly SentRequest[]
}

/**
 * Tests a connection as an operator would: resolves if the other system accepts the credentials, otherwise
 * rejects as the connection's
 * `authenticate` does.
 */
export async function checkConnection<S extends JsonSchema>(
  definition: ConnectionDefinition<S>,
  options: CheckConnectionOptions,
): Promise<ConnectionCheck> {
  const canned = cannedEgress(options.replies ?? [])
  const clock = testClock(options.now)
  const egress = options.egress ?? canned.egress
  const token = options.token ?? null
  const traffic = testTraffic(clock, token)
  const known = definition as ConnectionDefinition
  const surroundings = { egress, clock, traffic, token }
  const connection = signedIn(known, testConnection(known, 'test', options.settings), surroundings)
  const said = await tryConnection(
    { egress, clock, traffic },
    known,
    connection,
    options.signal ?? AbortSignal.timeout(10_000),
  )
  return { ...said, requests: canned.requests }
}
