import type { EffectAttempt } from '../../engine/journal/durable-context.ts'
import type { SkillCall } from '../../engine/skills/skill-caller.ts'
import {
  SkillError,
  TocsinError,
  type AnySkill,
  type Authenticated,
  type CaseAccess,
  type InboundRequest,
  type InboundResult,
  type SkillContext,
  type SkillLog,
} from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import type { Egress } from '../../ports/egress.ts'
import type { Catalogue, CatalogueSkill } from '../../registry/catalogue.ts'
import { compileSchema, summarize } from '../../schema/index.ts'
import { openSettings } from '../connection/settings.ts'
import { egressFor, openOnce, type ReadyConnection } from '../connection/open-connection.ts'
import { createTraffic, type Traffic } from '../http/traffic.ts'
import { Redactor, type OnSecret } from '../redaction/redactor.ts'
import { untilAborted } from '../http/until-aborted.ts'
import { createBearer } from '../connection/bearer.ts'
import { effectsOf } from './after-changes.ts'
import { inboundUrlFrom, tokenFor, tryConnection } from './authenticate.ts'
import { createHttpClient } from './http-client.ts'
import { plainOutput } from './plain-output.ts'
import { createSocketClient } from './socket-client.ts'

/** One call of a skill as data that can be sent to another thread. */
export interface SkillTask {
  /** `try_connection` tests the credentials of the connection, `receive` reads a webhook request to it. */
  readonly purpose: SkillCall['purpose'] | 'try_connection' | 'receive'
  /** `<plugin>.<skill>`, which is installed; the name of the plugin for `try_connection` and `receive`. */
  readonly skill: string
  /** Fits the skill's schema; an `InboundCall` for `receive`. */
  readonly input: unknown
  readonly asked: SkillCall['asked']
  readonly connection: OpenConnection | undefined
  readonly run: SkillContext['run']
  readonly idempotencyKey: string
  /** Epoch milliseconds. */
  readonly deadlineMs: number
  /** Addresses of the webhooks of the connection, for a skill that asks. */
  readonly inboundUrls?: Readonly<Record<string, string>> | undefined
  /** See `SendInTurnOptions`. */
  readonly budgetShare?: number | undefined
}

/** The connections of a running task to the outside. */
export interface TaskHooks {
  readonly signal: AbortSignal
  readonly onEffect: EffectAttempt['onEffect'] | undefined
  readonly onSecret: OnSecret | undefined
  readonly cases: CaseAccess
  readonly log: SkillLog
}

/**
 * Performs one task: resolves to the skill's output, which fits its schema; rejects with what the skill
 * throws. Neither shows a secret of the connection.
 */
export type PerformTask = (task: SkillTask, hooks: TaskHooks) => Promise<unknown>

export interface PerformTaskOptions {
  /** Without `connection`, connections cannot be tested and receive no webhooks. */
  readonly catalogue: Pick<Catalogue, 'skill'> & Partial<Pick<Catalogue, 'connection'>>
  readonly egress: Egress
  readonly clock: Clock
  /** Shared with whatever else calls the same connections. Default: its own. */
  readonly traffic?: Traffic | undefined
}

/** Performs tasks in this thread. */
export function createPerformTask(options: PerformTaskOptions): PerformTask {
  const traffic = options.traffic ?? createTraffic(options.clock)
  return async (task, hooks) => {
    if (task.purpose === 'try_connection') return await tryIn({ ...options, traffic }, task, hooks)
    if (task.purpose === 'receive') return receiveIn(options, task, hooks)
    const entry = options.catalogue.skill(task.skill)
    if (entry === undefined) throw new Error(`the skill '${task.skill}' is not installed`)
    const connection = openTask(entry, task, hooks)
    const redactor = connection?.redactor ?? new Redactor([], hooks.onSecret)
    const { context, close } = createContext(
      { ...options, traffic },
      entry,
      task,
      hooks,
      connection,
      redactor,
    )
    try {
      return await perform(entry, task, context, redactor)
    } catch (error) {
      if (hooks.signal.aborted && error === hooks.signal.reason) throw error
      throw redactor.error(error, (one) => one instanceof TocsinError)
    } finally {
      close()
    }
  }
}

async function tryIn(
  options: PerformTaskOptions,
  { skill: plugin, connection }: SkillTask,
  { signal, onSecret }: TaskHooks,
): Promise<Authenticated> {
  const definition = options.catalogue.connection?.(plugin)
  if (definition === undefined || connection === undefined)
    throw new Error(`'${plugin}' has no connection to test`)
  return await tryConnection({ ...options, onSecret }, definition, connection, signal)
}

/** A webhook request to a connection, for the handler of its plugin for this route. */
interface InboundCall extends InboundRequest {
  readonly route: string
}

function receiveIn(
  { catalogue }: PerformTaskOptions,
  { skill: plugin, connection, input }: SkillTask,
  { onSecret }: TaskHooks,
): unknown {
  const { route, ...request } = input as InboundCall
  const definition = catalogue.connection?.(plugin)
  const handler = definition?.inbound?.[route]
  if (definition === undefined || connection === undefined || handler === undefined)
    throw new Error(`'${plugin}' has no handler for '${route}'`)
  const { settings, secrets } = openSettings(definition, connection)
  try {
    const handshake = definition.handshakes?.[route] ?? refuseGet
    const result =
      request.method === 'GET' ? { reply: handshake(request, settings) } : handler(request, settings)
    return plainOutput(result, `the handler '${route}' of ${plugin}`)
  } catch (error) {
    const token = new URL(request.url).searchParams.get('token') ?? ''
    const hidden = [...secrets, ...(connection.formerSecrets ?? []), token]
    throw new Redactor(hidden, onSecret).error(error, (one) => one instanceof TocsinError)
  }
}

const refuseGet = (): never => {
  throw new SkillError('handshake_missing', 'the webhook accepts no GET')
}

type ConnectionHooks = Pick<TaskHooks, 'signal' | 'onSecret'>

/** Tests the credentials of a connection as a task; see {@link tryConnection}. */
export async function tryConnectionAsTask(
  performTask: PerformTask,
  connection: OpenConnection,
  hooks: ConnectionHooks,
): Promise<Authenticated> {
  return (await performFor(performTask, 'try_connection', connection, {}, hooks)) as Authenticated
}

/** Lets the plugin of a connection read a webhook request, as a task. Rejects with what its handler throws, without secrets. */
export async function receiveAsTask(
  performTask: PerformTask,
  connection: OpenConnection,
  call: InboundCall,
  hooks: ConnectionHooks,
): Promise<InboundResult> {
  // A copy, because small buffers share their memory with others.
  const input = { ...call, body: Uint8Array.from(call.body) }
  return (await performFor(performTask, 'receive', connection, input, hooks)) as InboundResult
}

/** Performs a task that is not a call of a skill. */
async function performFor(
  performTask: PerformTask,
  purpose: 'try_connection' | 'receive',
  connection: OpenConnection,
  input: unknown,
  { signal, onSecret }: ConnectionHooks,
): Promise<unknown> {
  const { plugin, organizationUuid } = connection.connection
  const task: SkillTask = {
    purpose,
    skill: plugin,
    input,
    asked: undefined,
    connection,
    run: { id: '', organization: organizationUuid },
    idempotencyKey: '',
    deadlineMs: Infinity,
  }
  const log = { info: () => {}, warn: () => {} }
  const work = performTask(task, { signal, onSecret, onEffect: undefined, cases: noCases, log })
  return await untilAborted(work, signal)
}

const refuse = (): Promise<never> => Promise.reject(new Error('only skills have cases'))
const noCases: CaseAccess = {
  own: refuse,
  create: refuse,
  open: refuse,
  find: refuse,
  update: refuse,
  comment: refuse,
  attachFile: refuse,
  files: refuse,
  readFile: refuse,
}

function openTask(
  { skill }: CatalogueSkill,
  { connection }: SkillTask,
  { onSecret }: TaskHooks,
): ReadyConnection | undefined {
  if (connection === undefined || skill.connection === undefined) return undefined
  const ready = openOnce(skill.connection, connection, onSecret)
  // Secrets that a call learns, such as a token in an answer, are redacted only in that call.
  return { ...ready, redactor: ready.redactor.copy() }
}

function createContext(
  options: PerformTaskOptions & { readonly traffic: Traffic },
  { plugin, skill }: CatalogueSkill,
  { run, idempotencyKey, deadlineMs, inboundUrls = {}, budgetShare }: SkillTask,
  { signal, onEffect, cases, log }: TaskHooks,
  connection: ReadyConnection | undefined,
  redactor: Redactor,
): { readonly context: SkillContext; readonly close: () => void } {
  const egress = egressFor(options.egress, {
    plugin: plugin.name,
    organizationUuid: run.organization,
    isConnection: connection !== undefined,
    network: connection?.network,
  })
  const isWrite = skill.effect === 'write'
  const target = connection?.target
  const call = { ...options, egress, isWrite, signal, deadlineMs, budgetShare, redactor, target }
  const [ofHttp, ofSockets] = effectsOf(onEffect)
  const sockets = createSocketClient({ ...call, onEffect: isWrite ? ofSockets : undefined })
  const context: SkillContext = {
    settings: connection?.settings,
    http: createHttpClient({ ...call, tokens: connection?.tokens, onEffect: ofHttp }),
    sockets,
    token: tokenFor(createBearer(target?.token, connection?.tokens, call)),
    inboundUrl: inboundUrlFrom(inboundUrls, redactor),
    cases,
    nowMs: options.clock.now(),
    deadlineMs,
    signal,
    log: redactedLog(log, redactor),
    idempotencyKey,
    run,
  }
  return { context, close: () => sockets.close() }
}

const redactedLog = (log: SkillLog, redactor: Redactor): SkillLog => ({
  info: (message, fields) => log.info(redactor.text(message), redactor.value(fields) as typeof fields),
  warn: (message, fields) => log.warn(redactor.text(message), redactor.value(fields) as typeof fields),
})

async function perform(
  { name, skill }: CatalogueSkill,
  task: SkillTask,
  context: SkillContext,
  redactor: Redactor,
): Promise<unknown> {
  const { purpose, input } = task
  context.signal.throwIfAborted()
  if (purpose !== 'run' && purpose !== 'verify') return await followUp(skill, task, context)
  const raw: unknown =
    purpose === 'run' ? await skill.run(input, context) : await verify(skill, input, context)
  if (purpose === 'verify' && raw === undefined) return undefined
  const output = redactor.value(plainOutput(raw, name))
  const problems = compileSchema(skill.output).problems(output)
  if (problems.length === 0) return output
  throw new SkillError(
    'contract_violation',
    `output of ${name} is not what it declares: ${summarize(problems)}`,
    {
      hint: 'the other system may have changed, or the skill has a bug: report it to the plugin’s author',
      details: { errors: problems },
    },
  )
}

async function verify(skill: AnySkill, input: unknown, context: SkillContext): Promise<unknown> {
  if (skill.effect === 'write' && skill.repeat === 'verify') return skill.verify(input, context)
  throw new SkillError('not_verifiable', `the skill '${skill.name}' cannot tell whether it took effect`)
}

async function followUp(
  skill: AnySkill,
  { purpose, input, asked }: SkillTask,
  context: SkillContext,
): Promise<void> {
  const { output, outcome, answer } = asked ?? { output: null }
  if (purpose === 'settle' && outcome) await skill.settle?.({ input, output, outcome }, context)
  if (purpose === 'remind') await skill.remind?.({ input, output }, context)
  if (purpose === 'refuse' && answer) await skill.refuse?.({ input, output }, answer, context)
}
