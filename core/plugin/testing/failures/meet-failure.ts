import { ok } from 'node:assert/strict'
import { inspect } from 'node:util'
import { TocsinError, type PluginDefinition } from '../../index.ts'
import type { Egress } from '../../../ports/egress.ts'
import { checkConnection } from '../check-connection.ts'
import type { Failure } from './failures.ts'
import { loopbackEgress } from '../loopback-egress.ts'
import { runSkill } from '../run-skill.ts'
import type { ServedSandbox } from '../serve-sandbox.ts'
import type { SandboxReply } from '../routes.ts'

/**
 * A token that the connection already has, because without a token the call fails before the
 * plugin's code.
 */
export const givenToken = 'the-token-of-this-test'

/** Maximum duration of a call that would wait forever. */
const deadlineMs = 20

interface CallOptions {
  readonly settings: Readonly<Record<string, unknown>>
  readonly egress: Egress
  readonly token: string
  readonly signal: AbortSignal
}

/** A caller of the other system: a skill, or the connection test. */
export interface Call {
  readonly name: string
  readonly make: (options: CallOptions) => Promise<unknown>
}

export function callsOf({ skills, connection }: PluginDefinition): readonly Call[] {
  if (connection === undefined) return []
  const connected = skills.filter((skill) => skill.connection !== undefined)
  return [
    ...connected.map((skill) => ({
      name: skill.name,
      make: (options: CallOptions) => runSkill(skill, skill.examples[0]?.input, options),
    })),
    { name: 'the check of the connection', make: (options) => checkConnection(connection, options) },
  ]
}

/**
 * Makes the call against a failing system and returns its error, if any: the error of the call, or that
 * of the deadline.
 */
export async function meetFailure(
  running: ServedSandbox<unknown>,
  how: Failure | SandboxReply,
  { make }: Call,
): Promise<TocsinError | undefined> {
  const isEndless = how === 'hang' || how === 'drip'
  const signal = AbortSignal.timeout(isEndless ? deadlineMs : 10_000)
  running.failNext(how, 1_000)
  const { settings } = running
  const error: unknown = await make({ settings, egress: loopbackEgress, token: givenToken, signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  running.stopFailing()
  if (error === undefined || error === signal.reason) return undefined
  ok(error instanceof TocsinError, `${nameOf(how)}: ${inspect(error)}`)
  return error
}

export const nameOf = (how: Failure | SandboxReply): string =>
  typeof how === 'string' ? how : `status ${how.status}`
