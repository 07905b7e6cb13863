import { createBackground } from '../../common/background.ts'
import { runAttempt } from '../../engine/context/attempt.ts'
import { RunSuspended } from '../../engine/journal/durable-context.ts'
import { toStoredError } from '../../engine/journal/stored-error.ts'
import type { SkillCaller } from '../../engine/skills/skill-caller.ts'
import { textsIn } from '../../engine/skills/texts-in.ts'
import { sensitiveParts } from '../../domain/mask.ts'
import { acceptedBy } from '../../playbook/check/mask-of-type.ts'
import { RetryableError, type JsonSchema } from '../../plugin/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { onlyProcess, type ExclusiveWork } from '../../ports/nodes/exclusive-work.ts'
import type { Stores } from '../../ports/stores.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { DueCheck } from './containment-state.ts'
import type { StateCheck } from './state-checks.ts'
import { stateReading } from './state-reading.ts'

/** Reads regularly whether containments are still in effect, to notice what people undo in other systems. */
export interface ContainmentChecks {
  /** Continues where an earlier process stopped. */
  start(): void
  /** Resolves when no check is under way. */
  stop(): Promise<void>
}

export interface ContainmentChecksOptions {
  readonly stores: Pick<Stores, 'containments'>
  readonly catalogue: Pick<Catalogue, 'skill'>
  readonly callSkill: SkillCaller
  /** While runs are paused, other systems are left alone. */
  readonly isPaused: () => boolean
  /** Time between two checks of a containment. */
  readonly periodMs: number
  /** Default: this process is the only one. */
  readonly exclusive?: ExclusiveWork | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Time between two checks of a containment. */
export const defaultContainmentCheckMs = 15 * 60_000

/** Delay between two looks for due checks. */
const lookMs = 10_000
/** Due checks that are read at a time. */
const batch = 500
/** Connections that are asked at the same time. */
const maxConnections = 4
/** Checks of a connection between two looks, so that no connection holds up others. */
const maxInTurn = 20
const timeoutMs = 30_000
/** Least pause after a check of a connection. */
const leastRestMs = 1_000
/** The pause as a multiple of the duration: checks use at most a tenth of the time, and of a busy rate budget. */
const restShare = 9
/** Pause of a connection after a failed check. */
const afterFailureMs = 60_000

export function createContainmentChecks(options: ContainmentChecksOptions): ContainmentChecks {
  const { stores, clock, log, isPaused, exclusive = onlyProcess } = options
  const background = createBackground(clock, work)
  const { signal, rest } = background
  /** When a connection may be asked again. */
  const notBefore = new Map<string, number>()

  async function work(): Promise<void> {
    while (!signal.aborted) {
      if (!isPaused())
        await round().catch((error: unknown) =>
          log.warn({ error }, 'could not check containments; trying again soon'),
        )
      await rest(lookMs)
    }
  }

  async function round(): Promise<void> {
    if (!(await exclusive.isMine('containment_checks'))) return
    const now = clock.now()
    for (const [connection, at] of notBefore) if (at <= now) notBefore.delete(connection)
    const due = await stores.containments.dueChecks(now, batch)
    const lines = [...Map.groupBy(due, connectionOf)].filter(([connection]) => !notBefore.has(connection))
    const workers = Array.from({ length: maxConnections }, async () => {
      for (let line = lines.shift(); line !== undefined; line = lines.shift()) await checkInTurn(...line)
    })
    await Promise.all(workers)
  }

  async function checkInTurn(connection: string, due: readonly DueCheck[]): Promise<void> {
    for (const one of due.slice(0, maxInTurn)) {
      if (signal.aborted || isPaused()) return
      const began = elapsed()
      const check = await lookAt(options, one, signal)
      if (check === undefined) return
      const { id, changedAt } = one.containment
      await stores.containments.noteCheck(id, changedAt, check, options.periodMs)
      if ('error' in check) noteFailure(log, one, check)
      if (check.isOfConnection === true) {
        notBefore.set(connection, clock.now() + Math.max(afterFailureMs, check.retryAfterMs ?? 0))
        return
      }
      await rest(Math.max(leastRestMs, restShare * (elapsed() - began)))
    }
  }

  const elapsed = () => clock.monotonic?.() ?? clock.now()

  return background
}

const connectionOf = ({ containment: { organizationUuid, connection, action } }: DueCheck): string =>
  JSON.stringify([organizationUuid, action.skill.split('.')[0], connection?.toLowerCase()])

type Look = StateCheck & {
  /** Other checks of the connection would fail too. Default false. */
  readonly isOfConnection?: true
  readonly retryAfterMs?: number | undefined
}

/** Undefined: the server stops. */
async function lookAt(
  { catalogue, callSkill, clock, log }: ContainmentChecksOptions,
  { containment, call, isSensitive }: DueCheck,
  stop: AbortSignal,
): Promise<Look | undefined> {
  const { id, organizationUuid, connection, caseId, action } = containment
  const startedAt = clock.now()
  const reading = stateReading(catalogue.skill(action.skill), call)
  if (reading === undefined) {
    const message = `nothing reads the state of ${action.skill} any more, or its input is unknown`
    return { startedAt, error: { code: 'state_unreadable', message } }
  }
  const { skill, input, says } = reading
  const schema = (catalogue.skill(skill)?.skill.input ?? {}) as JsonSchema
  const parts = isSensitive ? [input, call] : sensitiveParts(acceptedBy(schema), input)
  try {
    const state = await runAttempt(
      (attempt) =>
        callSkill({
          purpose: 'run',
          skill,
          connection: connection ?? undefined,
          input,
          sensitive: () => textsIn(parts),
          run: {
            uuid: action.run_uuid,
            organizationUuid,
            playbookName: action.playbook,
            openCase: async () => caseId ?? undefined,
          },
          attempt,
        }),
      { number: 1, idempotencyKey: `${id}/@state` },
      { timeoutMs, deadlineMs: Infinity, cancel: undefined, stop },
      clock,
    )
    return { startedAt, seen: says(state) }
  } catch (error) {
    if (error instanceof RunSuspended) return undefined
    const stored = toStoredError(error, log, { run: action.run_uuid, path: action.path, skill })
    const retryAfterMs = error instanceof RetryableError ? error.retryAfterMs : undefined
    return { startedAt, error: stored, isOfConnection: true, retryAfterMs }
  }
}

/** Once, until the code changes or a check succeeds. */
function noteFailure(
  log: Log,
  { containment }: DueCheck,
  { error }: Extract<StateCheck, { readonly error: unknown }>,
): void {
  if (containment.stateError?.code === error.code) return
  const { caseId, action, connection } = containment
  const { run_uuid: run, path, skill } = action
  log.warn(
    { run, path, skill, connection, case: caseId ?? undefined, code: error.code, reason: error.message },
    'could not read whether a containment is still in effect',
  )
}
