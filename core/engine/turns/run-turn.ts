import type { Alert } from '../../domain/alert.ts'
import type { ApprovalRule, DestructiveLimits } from '../../domain/destructive-use.ts'
import type { Run } from '../../domain/run.ts'
import { ConflictError, UnavailableError } from '../../errors/errors.ts'
import type { Playbook } from '../../playbook/language/playbook.ts'
import { withLogFields } from '../../common/log-context.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Lease } from '../../ports/nodes/lease.ts'
import type { Log } from '../../ports/log.ts'
import { isTurnLost } from '../../ports/runs/turn.ts'
import type { Stores } from '../../ports/stores.ts'
import { describeRun, type RunDescription } from './describe-run.ts'
import { RunSuspended } from '../journal/durable-context.ts'
import { findEarlierTries } from '../journal/earlier-tries.ts'
import { interpret } from '../steps/interpreter.ts'
import { openLocalContext, type LocalContext } from '../context/local-context.ts'
import { failsAfterCrashes } from '../recovery/quarantine.ts'
import { createRunCase, type RunCase } from '../scope/run-case.ts'
import { toStoredError } from '../journal/stored-error.ts'
import type { WakeUps } from '../journal/wake-ups.ts'
import type { Skills } from '../skills/skill-caller.ts'

export interface TurnOptions {
  readonly stores: Pick<
    Stores,
    'runs' | 'journal' | 'alerts' | 'organizations' | 'checkpoints' | 'eventWaits'
  >
  readonly clock: Clock
  readonly log: Log
  /** Rejects if the playbook does not exist or is no longer valid; the run then fails with that error. */
  readonly loadPlaybook: (hash: string) => Promise<Playbook>
  readonly skills: Skills
  /**
   * Content hash of the live version of a playbook that the organization with this code may run, for calls. Default: no playbook can
   * be called.
   */
  readonly newestPlaybook?: ((name: string, organization: string) => string | undefined) | undefined
  /** A run that waits longer than this is parked. Default 1,000. */
  readonly parkAfterMs?: number | undefined
  /** Default: read from the stores. */
  readonly describe?: ((run: Run) => Promise<RunDescription>) | undefined
  /** Link to a run for people. Default `/runs/<uuid>`. */
  readonly runUrl?: ((uuid: string) => string) | undefined
  /** See `LocalContextOptions`. */
  readonly destructiveLimits?: DestructiveLimits | undefined
  /** See `LocalContextOptions`. */
  readonly approvalRules?: readonly ApprovalRule[] | undefined
  /** See `LocalContextOptions`. */
  readonly lease?: Lease | undefined
  readonly onStarted?: ((run: Run) => void) | undefined
  /** Called once for every run that ends. */
  readonly onRunEnded?: ((run: Run) => void) | undefined
}

/** How the runner controls a turn. */
export interface TurnControls {
  readonly stop: AbortController
  readonly cancel: AbortController
  readonly wakeUps: WakeUps
}

/**
 * The end of a turn: the run ended (`over`); it gets another turn at a time (epoch milliseconds, or Infinity); or
 * it did not begin, because of an earlier run of its concurrency key or the rate limit of its playbook (`held`).
 */
export type TurnEnd = 'over' | 'held' | { readonly againAtMs: number }

export interface GivenTurn {
  readonly run: Run
  /** If the runner has it already. */
  readonly alert?: Alert | undefined
  /** The run was started and has had no turn. Default: a run that is queued. */
  readonly isNew?: boolean | undefined
  /** How often an earlier process stopped while this run had its turn alone. */
  readonly soloCrashes: number
  readonly controls: TurnControls
  /** Aborted: no step begins; current steps end. */
  readonly hold: AbortSignal
}

const defaultParkAfterMs = 1_000

/** Interprets a run until it ends, waits or is stopped. Rejects if the store failed. */
export function runTurn(options: TurnOptions, turn: GivenTurn): Promise<TurnEnd> {
  return withLogFields({ run: turn.run.uuid }, () => takeTurn(options, turn))
}

async function takeTurn(options: TurnOptions, turn: GivenTurn): Promise<TurnEnd> {
  const { stores, log, clock } = options
  const { controls, hold } = turn
  let { run } = turn
  if (run.endedAt !== null) return 'over'
  if (run.cancellation !== null) controls.cancel.abort()
  let againAtMs: number | undefined
  const onIdle = (wakeAtMs: number) => {
    if (!hold.aborted && wakeAtMs - clock.now() < (options.parkAfterMs ?? defaultParkAfterMs)) return
    againAtMs = wakeAtMs
    controls.stop.abort()
  }
  let context: LocalContext | undefined
  // A short wait ends at once, and the run is parked.
  const onHold = () => context?.lookIdle()
  hold.addEventListener('abort', onHold)
  let ended: Run
  let failedAt: unknown
  try {
    const failsInterrupted = await failsAfterCrashes(stores.journal, run, turn.soloCrashes)
    const playbook = await options.loadPlaybook(run.playbookHash)
    const description = await (options.describe?.(run) ?? describeRun(stores, run, playbook, turn.alert))
    const isNew = turn.isNew === true || (run.status === 'queued' && run.retryOf === null)
    if (run.status === 'queued') {
      const started = await start(options, run, description.caseTitle())
      if (started === undefined) return 'held'
      run = started
    }
    if (run.endedAt !== null) return over(options, run)
    context = await openLocalContext({
      ...contextOptions(options, run, controls),
      isNew,
      hold,
      onIdle,
      onTurnLost: () => controls.stop.abort(),
      failsInterrupted,
    })
    const inputs = runInputs(options, run, description, context)
    const outcome = await interpret(playbook, inputs, context, options.skills)
    failedAt = outcome.failedAt ?? outcome.error?.details?.['path']
    const isSensitive = playbook.masks.output !== undefined
    ended = await context.end(() => stores.runs.end(run.uuid, { ...outcome, isSensitive }))
  } catch (error) {
    // Background tasks must not overlap the next turn.
    if (!(error instanceof RunSuspended)) controls.stop.abort()
    await context?.finish().catch(() => {})
    await context?.settled().catch(() => {})
    // A held branch may be due although the others wait.
    if (error instanceof RunSuspended) return { againAtMs: hold.aborted ? 0 : (againAtMs ?? 0) }
    if (error instanceof UnavailableError || isTurnLost(error)) throw error
    // It was cancelled after its turn had begun.
    if (error instanceof ConflictError && error.code === 'run_not_queued') return 'over'
    const stored = toStoredError(error, log, { run: run.uuid })
    if (run.status === 'queued') {
      const started = await start(options, run, run.playbookName)
      if (started === undefined) return 'held'
      run = started
    }
    if (run.endedAt !== null) return over(options, run)
    ended = await stores.runs.end(run.uuid, { status: 'failed', output: null, error: stored })
  } finally {
    hold.removeEventListener('abort', onHold)
  }
  return over(options, ended, failedAt)
}

async function start(options: TurnOptions, { uuid }: Run, title: string): Promise<Run | undefined> {
  const started = await options.stores.runs.start(uuid, { title })
  if (started) options.onStarted?.(started)
  return started
}

function contextOptions(
  { stores, clock, log, destructiveLimits, approvalRules, lease }: TurnOptions,
  run: Run,
  { stop, cancel, wakeUps }: TurnControls,
) {
  return {
    run: { uuid: run.uuid, startedAt: run.startedAt ?? run.createdAt },
    journal: stores.journal,
    clock,
    log,
    stop: stop.signal,
    cancel: cancel.signal,
    wakeUps,
    earlierTries: () => findEarlierTries(stores, run),
    checkpoints: stores.checkpoints,
    events: stores.eventWaits,
    destructiveLimits,
    approvalRules,
    lease,
  }
}

function runInputs(
  options: TurnOptions,
  run: Run,
  { names, caseTitle }: RunDescription,
  context: LocalContext,
) {
  const { uuid, organizationUuid, playbookName } = run
  const url = options.runUrl?.(uuid) ?? `/runs/${uuid}`
  const own = createRunCase(run.caseId, () => options.stores.runs.openCase(uuid, { title: caseTitle() }))
  return {
    run: { uuid, organizationUuid, playbookName, openCase: () => own.open() },
    ...(run.caseId === null && { openCase: async () => own.id ?? (await context.insist(() => own.open())) }),
    names: { ...names, case: namedCase(own), run: { ...names.run, url } },
    playbooks: {
      newest: (name: string) => options.newestPlaybook?.(name, codeIn(names)),
      load: (hash: string) => context.busy(() => options.loadPlaybook(hash)),
    },
  }
}

/** Code of the organization of a run. */
const codeIn = ({ organization }: RunDescription['names']): string =>
  (organization as { readonly code: string } | undefined)?.code ?? ''

/** The `case` of expressions. */
const namedCase = (own: RunCase) => ({
  get id() {
    return own.id
  },
})

function over({ log, onRunEnded }: TurnOptions, run: Run, failedAt?: unknown): TurnEnd {
  if (run.status === 'failed') {
    const { uuid, alertId, playbookName: playbook, error } = run
    const alert = alertId === null ? {} : { alert: alertId }
    const step = typeof failedAt === 'string' ? { step: failedAt } : {}
    log.warn({ run: uuid, ...alert, playbook, ...step, code: error?.code }, 'the run failed')
  }
  try {
    onRunEnded?.(run)
  } catch (error) {
    log.error({ run: run.uuid, error }, 'onRunEnded callback threw')
  }
  return 'over'
}
