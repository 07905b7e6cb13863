import { hiding } from '../../engine/skills/texts-in.ts'
import type { SkillCall, SkillCaller } from '../../engine/skills/skill-caller.ts'
import type { Connection } from '../../domain/connection.ts'
import { NotFoundError } from '../../errors/errors.ts'
import {
  SkillError,
  TocsinError,
  type AnySkill,
  type SkillContext,
  type SkillLog,
} from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress } from '../../ports/egress.ts'
import type { Log } from '../../ports/log.ts'
import type { Stores } from '../../ports/stores.ts'
import type { Catalogue, CatalogueSkill } from '../../registry/catalogue.ts'
import { compileSchema, summarize, validate, withDefaults } from '../../schema/index.ts'
import { createSkillLog } from './call-log.ts'
import { createCaseAccess } from './case-access.ts'
import { egressFor } from '../connection/egress-for.ts'
import { findConnection, type ReadableConnections } from '../connection/find-connection.ts'
import { createHttpClient, type HttpClientOptions } from './http-client.ts'
import type { NoteUse } from './note-use.ts'
import { openOnce, type ReadyConnection } from '../connection/open-connection.ts'
import { plainOutput } from './plain-output.ts'
import { Redactor, type OnSecret } from '../redaction/redactor.ts'
import { createTraffic, type Traffic } from '../http/traffic.ts'
import { untilAborted } from '../http/until-aborted.ts'

export interface SkillCallerOptions {
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly stores: Pick<Stores, 'cases'> & { readonly connections: ReadableConnections }
  readonly egress: Egress
  readonly log: Log
  readonly clock: Clock
  /** Shared with whatever else calls the same connections. Default: its own. */
  readonly traffic?: Traffic
  /** Default: nobody is told of it. */
  readonly noteUse?: NoteUse
  /** Is told of every secret that a call works with. Default: nobody is. */
  readonly onSecret?: OnSecret
}

/**
 * Makes the caller of skills: input checked, connection opened, skill run, output checked, secrets kept out of everything that
 * is said about the call.
 */
export function createSkillCaller(options: SkillCallerOptions): SkillCaller {
  const traffic = options.traffic ?? createTraffic(options.clock)
  return async (call) => {
    const entry = options.catalogue.skill(call.skill)
    if (entry === undefined) {
      throw new NotFoundError('skill_not_found', `the skill '${call.skill}' is not installed`, {
        hint: 'install its plugin, or correct the name',
      })
    }
    const input = checkInput(entry, call.input)
    const connection = await connect(options, entry, call)
    if (connection !== undefined) await call.onConnection?.(connection.target.connection)
    const redactor = connection?.redactor ?? new Redactor([], options.onSecret)
    // Outputs keep what is sensitive: the run needs it.
    const said = once(() => hiding(call.sensitive?.() ?? []))
    try {
      const log = createSkillLog(options.log, call, [() => redactor, said])
      const isWrite = entry.skill.effect === 'write'
      const { organizationUuid } = call.run
      const egress = egressFor(options.egress, {
        plugin: entry.plugin.name,
        organizationUuid,
        isConnection: connection !== undefined,
      })
      const context = createContext({ ...options, egress, traffic, isWrite }, call, connection, redactor, log)
      // A skill that does not listen to its signal is left behind; its outcome no longer counts.
      const output = await untilAborted(perform(entry, call, input, context, redactor), call.attempt.signal)
      if (connection !== undefined) options.noteUse?.(connection.as)
      return output
    } catch (error) {
      if (call.attempt.signal.aborted && error === call.attempt.signal.reason) throw error
      if (connection !== undefined) options.noteUse?.(connection.as, error)
      const isOurs = (one: Error) => one instanceof TocsinError
      throw said().error(redactor.error(error, isOurs), isOurs)
    }
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

function checkInput({ name, skill }: CatalogueSkill, given: unknown): unknown {
  const input = withDefaults(skill.input, given)
  validate(compileSchema(skill.input), input, `input of ${name}`)
  return input
}

/** Undefined where the skill has no connection, or one that is optional and not named. */
async function connect(
  options: SkillCallerOptions,
  { plugin, skill }: CatalogueSkill,
  call: SkillCall,
): Promise<(ReadyConnection & { readonly as: Connection }) | undefined> {
  if (skill.connection === undefined) return undefined
  // Never the only connection by itself: the step's author did not ask for credentials to be sent.
  if (skill.connectionIsOptional === true && call.connection === undefined) return undefined
  const { organizationUuid } = call.run
  const open = await findConnection(options.stores.connections, {
    organizationUuid,
    plugin: plugin.name,
    name: call.connection,
  })
  const { settings, target, redactor } = openOnce(skill.connection, open, options.onSecret)
  // What a call learns, such as a token of an answer, is its own.
  return { settings, target, redactor: redactor.copy(), as: open.connection }
}

function createContext(
  options: SkillCallerOptions & Pick<HttpClientOptions, 'traffic' | 'isWrite'>,
  call: SkillCall,
  connection: ReadyConnection | undefined,
  redactor: Redactor,
  log: SkillLog,
): SkillContext {
  const { signal, idempotencyKey, deadlineMs, onEffect } = call.attempt
  const { organizationUuid, uuid: runUuid, playbookName, openCase } = call.run
  const { cases } = options.stores
  return {
    settings: connection?.settings,
    http: createHttpClient({
      ...options,
      signal,
      deadlineMs,
      redactor,
      onEffect,
      target: connection?.target,
    }),
    cases: createCaseAccess({ cases, organizationUuid, runUuid, playbookName, openCase, idempotencyKey }),
    nowMs: options.clock.now(),
    deadlineMs,
    signal,
    log,
    idempotencyKey,
    run: { id: runUuid, organization: organizationUuid },
  }
}

async function perform(
  { name, skill }: CatalogueSkill,
  call: SkillCall,
  input: unknown,
  context: SkillContext,
  redactor: Redactor,
): Promise<unknown> {
  context.signal.throwIfAborted()
  if (call.purpose !== 'run' && call.purpose !== 'verify') return await followUp(skill, call, input, context)
  const raw: unknown =
    call.purpose === 'run' ? await skill.run(input, context) : await verify(skill, input, context)
  if (call.purpose === 'verify' && raw === undefined) return undefined
  const output = redactor.value(plainOutput(raw, name))
  const problems = compileSchema(skill.output).problems(output)
  if (problems.length === 0) return output
  throw new SkillError(
    'contract_violation',
    `output of ${name} is not what it declares: ${summarize(problems)}`,
    {
      hint: 'the other system has changed, or the skill has a mistake: report it to the plugin’s author',
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
  call: SkillCall,
  input: unknown,
  context: SkillContext,
): Promise<void> {
  const { output, outcome, answer } = call.asked ?? { output: null }
  if (call.purpose === 'settle' && outcome) await skill.settle?.({ input, output, outcome }, context)
  if (call.purpose === 'remind') await skill.remind?.({ input, output }, context)
  if (call.purpose === 'refuse' && answer) await skill.refuse?.({ input, output }, answer, context)
}
