import { ok } from 'node:assert/strict'
import { TocsinError, type PluginDefinition, type Sandbox } from '../index.ts'
import type { Egress } from '../../ports.ts'
import { checkConnection } from './check-connection.ts'
import type { Failure } from './failures.ts'
import { loopbackEgress } from './loopback-egress.ts'
import { runSkill } from './run-skill.ts'
import type { SandboxReply, ServedSandbox } from './serve-sandbox.ts'

const failures: readonly (Failure | SandboxReply)[] = [
  'reset',
  'garbage',
  'huge',
  'gzip_bomb',
  'hang',
  'drip',
  ...[401, 403, 429, 500, 503].map((status) => ({ status, text: '' })),
]
/** How long a call may take that would wait for ever. */
const deadlineMs = 50

/** Of a test: much is sent to and fro, and machines are busy. */
const timeoutMs = 30_000

interface CallOptions {
  readonly settings: Readonly<Record<string, unknown>>
  readonly egress: Egress
  readonly token: string
  readonly signal: AbortSignal
}

/**
 * The check of the connection and every skill that has one, against a system that fails in all the ways the kit knows: they may
 * fail with an error that says who acts next and what to do, or go without the answer, but never with a mistake of their own, and
 * end with their deadline.
 */
export function describeFailures(
  { skills, connection }: PluginDefinition,
  sandbox: Sandbox | undefined,
): void {
  const { it } = globalThis as unknown as {
    it: (name: string, body: () => Promise<void>) => { timeout?(ms: number): void }
  }
  if (connection === undefined || sandbox === undefined) return
  for (const skill of skills.filter(({ connection }) => connection !== undefined)) {
    it(`${skill.name} survives a system that does not answer properly`, () =>
      meetAll(sandbox, (options) => runSkill(skill, skill.examples[0]?.input, options))).timeout?.(timeoutMs)
  }
  it('is checked, and survives a system that does not answer properly', () =>
    meetAll(sandbox, (options) => checkConnection(connection, options))).timeout?.(timeoutMs)
}

async function meetAll(sandbox: Sandbox, call: (options: CallOptions) => Promise<unknown>): Promise<void> {
  const running = await sandbox.start()
  try {
    if (!isServed(running)) return
    for (const how of failures) {
      running.failNext(how, 1_000)
      await meet(running.settings, how, call)
      running.stopFailing()
    }
  } finally {
    await running.close()
  }
}

async function meet(
  settings: CallOptions['settings'],
  how: Failure | SandboxReply,
  call: (options: CallOptions) => Promise<unknown>,
): Promise<void> {
  const isEndless = how === 'hang' || how === 'drip'
  const signal = AbortSignal.timeout(isEndless ? deadlineMs : 10_000)
  // With a token: without one, nothing of the plugin would be reached.
  const error: unknown = await call({ settings, egress: loopbackEgress, token: 'a-token', signal }).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const isForeseen = error === undefined || error instanceof TocsinError || error === signal.reason
  const name = typeof how === 'string' ? how : `status ${how.status}`
  ok(isForeseen, `${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  if (error instanceof TocsinError) ok(error.hint, `${name}: '${error.message}' does not say what to do`)
}

function isServed(running: object): running is ServedSandbox<unknown> {
  return 'failNext' in running
}
