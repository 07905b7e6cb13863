import type { DecisionChangeKind } from '../backtest/changes.ts'
import { judgeAlert, type ComparedRuns, type JudgeOptions, type RealLimits } from '../backtest/judge-alert.ts'
import type { PlaybookVersion, RecordedAlert, Unjudged } from '../backtest/recording.ts'
import { fixturesOf } from '../backtest/replay.ts'
import { sideView, type SideBounds } from '../backtest/side-view.ts'
import type { ShownDecision } from '../backtest/decision.ts'
import type { DecidedCase, JudgedShadow, QueuedShadow, ShadowSummary } from './shadow-result.ts'
import { startsFor } from '../playbook-test/run/rehearse.ts'

/** Reads wait for their share of a rate limit, so they may take longer than those of a backtest. */
const limits: RealLimits = { alertMs: 600_000, readMs: 300_000 }

/** Of the stored steps of a shadow. */
const bounds: SideBounds = { maxSteps: 300, maxJson: 50_000 }

/** Differences that do not count: other steps and other outputs lead to the same decision. */
const isOfDecision = (kind: DecisionChangeKind): boolean => kind !== 'path' && kind !== 'output'

export type ShadowSurroundings = Omit<JudgeOptions, 'base' | 'candidate' | 'policy' | 'limits'>

/**
 * Judges a shadow on the alert of an ended run: replays the run with the shadow, which gets the recorded replies and makes real calls
 * for other reads. Undefined: the alert does not start a shadow that runs alone. Rejects only when `signal` is aborted.
 */
export async function judgeShadow(
  queued: QueuedShadow,
  shadow: PlaybookVersion,
  recording: RecordedAlert | Unjudged,
  surroundings: ShadowSurroundings,
  signal: AbortSignal,
): Promise<JudgedShadow | undefined> {
  const { playbook } = shadow
  const isAlone = playbook.shadow?.beside === undefined
  if (isAlone && 'run' in recording && !mayStart(shadow, recording, surroundings)) return undefined
  const { runUuid, alertId, queuedAt: at } = queued
  const live = await versionOf(recording, surroundings)
  if ('code' in live) return unjudged(playbook.hash, live)
  const options = { ...surroundings, base: live, candidate: shadow, policy: 'shadow' as const, limits }
  const compared = await judgeAlert({ runUuid, alertId, at }, recording, options, signal)
  return result(playbook.hash, compared, shadow, surroundings)
}

const mayStart = (
  { playbook }: PlaybookVersion,
  recording: RecordedAlert,
  { organization, runUrl }: ShadowSurroundings,
): boolean =>
  startsFor(playbook, fixturesOf({ playbook, recording, organization, runUrl, inputs: {} })) === true

/** The version of the recorded run: it decided about the alert, whichever version is live now. */
async function versionOf(
  recording: RecordedAlert | Unjudged,
  surroundings: ShadowSurroundings,
): Promise<PlaybookVersion | Unjudged> {
  if ('code' in recording) return recording
  try {
    return await surroundings.versionOf(recording)
  } catch (error) {
    const message = `the version of the recorded run is no longer valid: ${(error as Error).message}`
    return { code: 'version_invalid', message }
  }
}

export const unjudged = (playbookHash: string, { code, message }: Unjudged): JudgedShadow => ({
  playbookHash,
  outcome: 'unjudged',
  summary: { live: null, shadow: null, actions: [], changes: [], reason: { code, message } },
  detail: null,
})

function result(
  playbookHash: string,
  { judged, after }: ComparedRuns,
  { playbook }: PlaybookVersion,
  { catalogue }: ShadowSurroundings,
): JudgedShadow {
  const { reason, before, after: decision, assumed } = judged
  if (reason !== undefined || before === undefined || decision === undefined)
    return unjudged(playbookHash, reason ?? { code: 'replay_failed', message: 'the replay has no decision' })
  const changes = judged.changes.filter(({ kind }) => isOfDecision(kind))
  const summary: ShadowSummary = {
    live: decidedCase(before),
    shadow: decidedCase(decision),
    actions: judged.actions.map(({ by, ...action }) => ({ ...action, by: sides[by] })),
    changes,
    reason: null,
  }
  const steps = after && sideView(after, playbook, catalogue, bounds)
  const detail = { before, after: decision, assumed, side: steps ?? null }
  return { playbookHash, outcome: changes.length === 0 ? 'agrees' : 'differs', summary, detail }
}

const sides = { both: 'both', before: 'live', after: 'shadow' } as const

const decidedCase = ({ status, verdict, severity }: ShownDecision): DecidedCase => ({
  status,
  verdict,
  severity,
})
