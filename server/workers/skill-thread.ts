/** The entry point of a skill thread: performs the tasks that the main thread posts. See `skill-pool.ts`. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { Secret, SkillError, type CaseAccess } from '../../core/plugin/index.ts'
import type { OpenConnection, SignInTokens } from '../../core/ports/connection-store.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { createPerformTask, type PerformTask, type TaskHooks } from '../../core/skill/call/perform-task.ts'
import { NodeShares } from '../../core/skill/http/node-share.ts'
import { createTraffic } from '../../core/skill/http/traffic.ts'
import { systemClock } from '../clock.ts'
import { createEgress } from '../egress/egress.ts'
import { watchRequests } from '../egress/watch-requests.ts'
import { DatabaseClock } from '../nodes/database-clock.ts'
import { SharedLease } from '../nodes/shared-lease.ts'
import { noteEffect, type EffectMemory } from './effect-flag.ts'
import {
  Outbox,
  type FromThread,
  type PackedTask,
  type StartedThreadData,
  type ToThread,
  type Wanted,
} from './messages.ts'
import { packError, unpackError } from './packed-error.ts'

const main = parentPort
if (isMainThread || main === null) throw new Error('skill-thread.ts runs in a worker thread only')

const outbox = new Outbox<FromThread>(main, (message, error) => {
  if (message.kind === 'end') return { ...message, reply: { error: packError(notCloneable(error)) } }
  if (message.kind === 'call') calls.get(message.call)?.reject(notCloneable(error))
  return message.kind === 'log' ? { ...message, fields: undefined } : undefined
})
const post = (message: FromThread): void => outbox.post(message)

const connections = new Map<string, OpenConnection>()
const tasks = new Map<number, AbortController>()
const calls = new Map<
  number,
  { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
>()
let lastCall = 0

const started = workerData as StartedThreadData
const shares = new NodeShares(() => performance.now(), started.shares)
const clock = started.clock === undefined ? systemClock : new DatabaseClock(undefined, started.clock)
const traffic = createTraffic(clock, { shares, onPause: (pause) => post({ kind: 'paused', pause }) })
const performTask = loadPlugins(started)
// Without plugins, no task can be performed, so the thread ends with this error.
performTask
  .then(() => post({ kind: 'ready' }))
  .catch((error: unknown) =>
    setImmediate(() => {
      throw error
    }),
  )

main.on('message', (messages: readonly ToThread[]) => {
  for (const message of messages) take(message)
})

async function loadPlugins({
  plugins,
  allowPrivate,
  lease: memory,
}: StartedThreadData): Promise<PerformTask> {
  const codeOf = async (organizationUuid: string) =>
    (await ask({ of: 'code', organizationUuid })) as string | undefined
  const lease = memory && new SharedLease(memory)
  const egress = watchRequests(createEgress({ allowPrivate, codeOf, lease }), (plugin, status) =>
    post({ kind: 'request', plugin, status }),
  )
  const catalogue = await discoverPlugins(plugins)
  return createPerformTask({ catalogue, egress, clock, traffic })
}

function take(message: ToThread): void {
  if (message.kind === 'ping') return post({ kind: 'pong' })
  if (message.kind === 'share') return shares.set(message.share)
  if (message.kind === 'pause') return traffic.budgets.pauseHere(message.pause)
  if (message.kind === 'task') return void perform(message.id, message.task, message.effect)
  if (message.kind === 'abort') return tasks.get(message.id)?.abort(unpackError(message.reason))
  if (message.kind === 'connection') {
    const { connection, secrets, formerSecrets, client } = message.packed
    const revealed = Object.entries(secrets).map(([name, text]) => [name, new Secret(text)])
    const tokens = client === undefined ? undefined : tokensOf(connection.uuid, client)
    connections.set(connection.uuid, {
      connection,
      secrets: Object.fromEntries(revealed),
      formerSecrets,
      tokens,
    })
    return
  }
  const waiting = calls.get(message.call)
  calls.delete(message.call)
  if ('error' in message.reply) waiting?.reject(unpackError(message.reply.error))
  else waiting?.resolve(message.reply.value)
}

async function perform(id: number, task: PackedTask, effect: EffectMemory | undefined): Promise<void> {
  const controller = new AbortController()
  tasks.set(id, controller)
  const connection = task.connection === undefined ? undefined : connections.get(task.connection)
  try {
    const run = await performTask
    if (effect !== undefined && !noteEffect(effect, 'begun')) throw attemptIsOver()
    const value = await run({ ...task, connection }, hooksOf(id, controller, effect))
    post({ kind: 'end', id, reply: { value } })
  } catch (error) {
    post({ kind: 'end', id, reply: { error: packError(error) } })
  } finally {
    tasks.delete(id)
  }
}

function hooksOf(id: number, controller: AbortController, effect: EffectMemory | undefined): TaskHooks {
  const log = (level: 'info' | 'warn') => (message: string, fields?: Readonly<Record<string, unknown>>) =>
    post({ kind: 'log', id, level, message, fields })
  return {
    signal: controller.signal,
    onEffect:
      effect &&
      ((known) => {
        const now = typeof known === 'function' ? known() : known
        if (now !== undefined && !noteEffect(effect, now)) controller.abort(attemptIsOver())
      }),
    onSecret: tellSecret,
    cases: casesOf(id),
    log: { info: log('info'), warn: log('warn') },
  }
}

/** Reports a secret at most once a second, because each call uses it several times. */
const toldEveryMs = 1_000
const told = new Set<string>()
let toldUntilMs = 0

function tellSecret(secret: string): void {
  const now = performance.now()
  if (now >= toldUntilMs) {
    told.clear()
    toldUntilMs = now + toldEveryMs
  }
  if (told.has(secret)) return
  told.add(secret)
  post({ kind: 'secret', secret })
}

function casesOf(id: number): CaseAccess {
  const call =
    (method: keyof CaseAccess) =>
    (...args: readonly unknown[]): Promise<never> =>
      ask({ of: 'cases', id, method, args }) as Promise<never>
  return {
    own: call('own'),
    create: call('create'),
    open: call('open'),
    find: call('find'),
    update: call('update'),
    comment: call('comment'),
    attachFile: call('attachFile'),
    files: call('files'),
    readFile: call('readFile'),
  }
}

/** The main thread keeps and renews the tokens of sign-ins. */
function tokensOf(connection: string, client: string): SignInTokens {
  const token = (refused?: string) => ask({ of: 'token', connection, client, refused })
  return {
    client,
    get: () => token() as Promise<string>,
    replace: (refused) => token(refused) as Promise<string | undefined>,
  }
}

function ask(wanted: Wanted): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const call = ++lastCall
  calls.set(call, { resolve, reject })
  post({ kind: 'call', call, wanted })
  return promise
}

const attemptIsOver = (): Error => new Error('the attempt is over')

function notCloneable(cause: Error): SkillError {
  return new SkillError('contract_violation', `the value cannot be handed over: ${cause.message}`, { cause })
}
