import { withEffect } from '../../engine/context/retry-class.ts'
import { hiding } from '../../engine/skills/texts-in.ts'
import type { SkillCall, SkillCaller } from '../../engine/skills/skill-caller.ts'
import { NotFoundError, UnavailableError } from '../../errors/errors.ts'
import type { Connection } from '../../domain/connection.ts'
import { TocsinError, type AnySkill, type ConnectionDefinition, type SkillLog } from '../../plugin/index.ts'
import type { OpenConnection } from '../../ports/connection-store.ts'
import type { Log } from '../../ports/log.ts'
import type { Stores } from '../../ports/stores.ts'
import type { Catalogue, CatalogueSkill } from '../../registry/catalogue.ts'
import { compileSchema, validate, withDefaults } from '../../schema/index.ts'
import { once } from '../../common/once.ts'
import { findConnection, type ReadableConnections } from '../connection/find-connection.ts'
import { openOnce } from '../connection/open-connection.ts'
import { createSecretResolver, noSecretSources, type SecretResolver } from '../connection/secret-resolver.ts'
import { untilAborted } from '../http/until-aborted.ts'
import type { OnSecret, Redactor } from '../redaction/redactor.ts'
import { createCaseAccess } from './case-access.ts'
import type { NoteUse } from './note-use.ts'
import type { PerformTask, SkillTask, TaskHooks } from './perform-task.ts'
import { withRenewedSecrets } from './renewed-secrets.ts'

export interface SkillCallerOptions {
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly stores: Pick<Stores, 'cases'> & { readonly connections: ReadableConnections }
  /** Performs the calls, in this thread or in another. */
  readonly performTask: PerformTask
  readonly log: Log
  /** Default: uses are not recorded. */
  readonly noteUse?: NoteUse
  /** Default: connections with references of secrets cannot be used. */
  readonly secrets?: SecretResolver | undefined
  /** Called with every secret that a call uses. Default: none. */
  readonly onSecret?: OnSecret
  /** Addresses of the webhooks of a connection, by their words. Default: none. */
  readonly inboundUrls?: InboundUrls
}

export type InboundUrls = (
  connection: Connection,
  routes: readonly string[],
) => Promise<Readonly<Record<string, string>>>

/**
 * Creates the caller of skills. It validates input and output, opens the connection, runs the skill and redacts
 * secrets from everything reported about the call.
 */
export function createSkillCaller(options: SkillCallerOptions): SkillCaller {
  const { performTask } = options
  return async (call) => {
    const entry = options.catalogue.skill(call.skill)
    if (entry === undefined) {
      throw new NotFoundError('skill_not_found', `the skill '${call.skill}' is not installed`, {
        hint: 'install its plugin, or correct the name',
      })
    }
    const input = checkInput(entry, call.input)
    const open = await connect(options, entry, call).catch(beforeCall)
    if (open !== undefined) await call.onConnection?.(open.connection.name)
    // Outputs keep sensitive values, because the run needs them.
    const said = once(() => hiding(call.sensitive?.() ?? []))
    const { signal } = call.attempt
    try {
      // A skill that ignores its signal is abandoned, and its outcome ignored.
      const { skill } = entry
      const { secrets } = options
      const hooks = hooksOf(options, call, said)
      const inboundUrls = skill.asks === true ? await inboundUrlsOf(options, skill, open) : undefined
      const work = withRenewedSecrets({ skill, open, signal, secrets }, (now) =>
        performTask({ ...toTask(call, input, now), inboundUrls }, hooks),
      )
      const output = await untilAborted(work, signal)
      if (open !== undefined) options.noteUse?.(open.connection)
      return output
    } catch (error) {
      if (signal.aborted && error === signal.reason) throw error
      if (open !== undefined) options.noteUse?.(open.connection, error)
      throw said().error(error, (one) => one instanceof TocsinError)
    }
  }
}

/** The store is away before the call: a step that must not be repeated may wait for it. */
function beforeCall(error: unknown): never {
  throw error instanceof UnavailableError ? withEffect(error, 'none') : error
}

function toTask(call: SkillCall, input: unknown, connection: OpenConnection | undefined): SkillTask {
  const { purpose, skill, asked, budgetShare } = call
  const { uuid, organizationUuid } = call.run
  const { idempotencyKey, deadlineMs } = call.attempt
  return {
    purpose,
    skill,
    input,
    asked,
    connection,
    run: { id: uuid, organization: organizationUuid },
    idempotencyKey,
    deadlineMs,
    ...(budgetShare !== undefined && { budgetShare }),
  }
}

/** Where answers to the question of a skill may be sent. */
async function inboundUrlsOf(
  { inboundUrls }: SkillCallerOptions,
  { connection }: AnySkill,
  open: OpenConnection | undefined,
): Promise<SkillTask['inboundUrls']> {
  const routes = Object.keys((connection as ConnectionDefinition | undefined)?.inbound ?? {})
  if (open === undefined || routes.length === 0) return undefined
  return await inboundUrls?.(open.connection, routes)
}

function hooksOf(options: SkillCallerOptions, call: SkillCall, said: () => Redactor): TaskHooks {
  const { organizationUuid, uuid: runUuid, playbookName, openCase } = call.run
  const { signal, onEffect, idempotencyKey } = call.attempt
  const { cases } = options.stores
  return {
    signal,
    onEffect,
    onSecret: options.onSecret,
    cases: createCaseAccess({ cases, organizationUuid, runUuid, playbookName, openCase, idempotencyKey }),
    log: createSkillLog(options.log, call, said),
  }
}

function checkInput({ name, skill }: CatalogueSkill, given: unknown): unknown {
  const input = withDefaults(skill.input, given)
  validate(compileSchema(skill.input), input, `input of ${name}`)
  return input
}

/**
 * Undefined if the skill has no connection, or if its connection is optional and the step does not
 * name it.
 */
async function connect(
  options: SkillCallerOptions,
  { plugin, skill }: CatalogueSkill,
  call: SkillCall,
): Promise<OpenConnection | undefined> {
  if (skill.connection === undefined) return undefined
  // An optional connection is used only by name: credentials must not be sent unasked.
  if (skill.connectionIsOptional === true && call.connection === undefined) return undefined
  const { organizationUuid } = call.run
  const found = await findConnection(options.stores.connections, {
    organizationUuid,
    plugin: plugin.name,
    name: call.connection,
  })
  const { secrets = withoutSources } = options
  const open = await untilAborted(secrets.resolve(found, call.attempt), call.attempt.signal)
  // Throws for unusable settings, before the call is reported to use the connection.
  openOnce(skill.connection, open, options.onSecret)
  return open
}

const withoutSources = createSecretResolver(noSecretSources)

const maxMessage = 1_000

/**
 * Writes log lines of a skill to the process log, with skill and run, without sensitive values; the task has redacted secrets.
 *
 * @param said called for each line, because it learns values during the call
 */
function createSkillLog(
  log: Log,
  { skill, run }: Pick<SkillCall, 'skill' | 'run'>,
  said: () => Redactor,
): SkillLog {
  const write =
    (level: 'info' | 'warn') =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      const values = said().value(fields)
      log[level](
        { skill, run: run.uuid, ...(values === undefined ? {} : { fields: values }) },
        said().text(message).slice(0, maxMessage),
      )
    }
  return { info: write('info'), warn: write('warn') }
}
