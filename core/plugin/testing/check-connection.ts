import type { Authenticated, ConnectionDefinition, JsonSchema } from '../index.ts'
import { authenticate } from '../../skill/call/authenticate.ts'
import { cannedEgress, type SentRequest } from './canned-egress.ts'
import { testConnection } from './memory-stores.ts'
import type { RunSkillOptions } from './run-skill.ts'
import { testClock, testTraffic } from './test-surroundings.ts'

/** As for `runSkill`; a token is fetched unless one is given. */
export type CheckConnectionOptions = Pick<
  RunSkillOptions,
  'replies' | 'egress' | 'token' | 'signal' | 'now'
> & {
  readonly settings: Readonly<Record<string, unknown>>
}

/** What the plugin said, and what it sent through `replies`. */
export interface ConnectionCheck extends Authenticated {
  readonly requests: readonly SentRequest[]
}

/**
 * Checks the credentials of a connection, as when an operator asks for it: resolves when the other system takes them, rejects as
 * `authenticate` of the connection does.
 */
export async function checkConnection<S extends JsonSchema>(
  definition: ConnectionDefinition<S>,
  options: CheckConnectionOptions,
): Promise<ConnectionCheck> {
  const canned = cannedEgress(options.replies ?? [])
  const clock = testClock(options.now)
  const egress = options.egress ?? canned.egress
  const traffic = testTraffic(clock, options.token ?? null)
  const known = definition as ConnectionDefinition
  const connection = testConnection(known, 'test', options.settings)
  const said = await authenticate(
    { egress, clock, traffic },
    known,
    connection,
    options.signal ?? AbortSignal.timeout(10_000),
  )
  return { ...said, requests: canned.requests }
}
