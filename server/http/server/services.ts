import { randomUUID } from 'node:crypto'
import { createBacktests } from '../../../core/backtest/backtests.ts'
import { createTurns } from '../../../core/common/in-turn.ts'
import { defaultKeyLifetimeMs } from '../../../core/access/key-expiry.ts'
import { createUseRecorder } from '../../access/last-use.ts'
import { createSessions, defaultSessionLimits } from '../../access/sessions.ts'
import { createAccessRefusals } from '../caller/access-refusals.ts'
import { createDirectory } from '../caller/directory.ts'
import { createPasskeyChallenges } from '../../access/passkeys.ts'
import { createPasswords } from '../../access/passwords.ts'
import { createPasswordGate } from '../caller/password-gate.ts'
import { createFailedAuthentications } from '../caller/failed-authentications.ts'
import { requesterOf } from '../caller/requester.ts'
import { sessionCookie } from '../caller/session-cookie.ts'
import { withRechecks } from '../../identity/rechecks.ts'
import { signOnServices } from '../caller/sign-on.ts'
import { createSignInGate } from '../caller/sign-in-gate.ts'
import { createViewAudit } from '../caller/view-audit.ts'
import { createChangeFeed } from '../events/change-feed.ts'
import { createEventStreams } from '../events/event-streams.ts'
import { createRunWatch } from '../events/run-watch.ts'
import { createAuthenticateGate } from '../limits/authenticate-gate.ts'
import { createCalculations } from '../limits/calculations.ts'
import { createDryRunGate } from '../limits/dry-run-gate.ts'
import { createIntakeGate } from '../limits/intake-gate.ts'
import { createRefusalLog } from '../limits/refusal-log.ts'
import { createWaitPlaces } from '../limits/wait-places.ts'
import { createWebhookGate } from '../limits/webhook-gate.ts'
import { openApiDocument } from '../reference/openapi.ts'
import type { Services } from '../routing/route.ts'
import { routes } from '../routing/routes.ts'
import type { AnswerBudget } from './answer-budget.ts'
import type { Limits } from './listener.ts'
import type { HttpServerOptions } from './server-options.ts'

export interface ServerState {
  readonly limits: Limits
  readonly answers: AnswerBudget
  readonly closing: AbortSignal
  readonly publicUrl: () => string
}

/** What handlers work with: the parts of the process, and the limits and caches of this server. */
export function createServices(
  options: HttpServerOptions,
  { limits, answers, closing, publicUrl }: ServerState,
): Services {
  const { config, stores, clock, log } = options
  const isPublicTls = config.publicUrl?.startsWith('https:') === true
  const directory = createDirectory(stores)
  const { singleSignOn } = options
  const sessions = withRechecks({
    sessions: createSessions(stores.sessions, config.sessions ?? defaultSessionLimits, clock, log),
    singleSignOn,
    stores,
    clock,
    log,
  })
  return {
    ...options,
    directory,
    dryRunGate: createDryRunGate(closing),
    backtests: createBacktests({
      stores,
      catalogue: options.catalogue,
      byHash: (hash) => options.playbooks.byHash(hash),
      callerOfSkills: options.callerOfSkills,
      runUrl: (uuid) => `${publicUrl()}/runs/${uuid}`,
      clock,
      log,
      closing,
      newId: randomUUID,
    }),
    calculations: createCalculations(),
    keyLifetimeMs: config.keyLifetimeMs === undefined ? defaultKeyLifetimeMs : config.keyLifetimeMs,
    recordKeyUse: createUseRecorder(({ id }, now) => stores.keys.recordUse(id, now), 'a key', log),
    recordAccountUse: createUseRecorder(
      ({ uuid }, now) => stores.accounts.recordUse(uuid, now),
      'an account',
      log,
    ),
    failedAuthentications: createFailedAuthentications(stores, log),
    requesterOf: requesterOf(config.trustedProxies ?? [], isPublicTls),
    sessions,
    passwords: createPasswords(),
    passwordGate: createPasswordGate(clock),
    passkeyChallenges: createPasskeyChallenges(clock),
    eventStreams: createEventStreams({
      stores,
      sessions,
      clock,
      answers,
      limits,
      closing,
    }),
    takeWaitPlace: createWaitPlaces(limits),
    watchRun: createRunWatch(stores.changes),
    readRunInTurn: createTurns(),
    excerptRunInTurn: createTurns(),
    changeFeed: createChangeFeed(stores.changes, directory),
    signInGate: createSignInGate(clock),
    ...signOnServices(singleSignOn, options),
    requestGate: createSignInGate(clock, 'request'),
    authenticateGate: createAuthenticateGate(clock),
    recordView: createViewAudit(stores.audit, clock),
    recordAccessRefusal: createAccessRefusals(stores, directory, log),
    intakeGate: createIntakeGate(limits),
    webhookGate: createWebhookGate(clock),
    recordRefusedWebhook: createRefusalLog(log, 'refused a webhook call'),
    publicUrl,
    apiPrefix: config.apiPrefix,
    openApi: openApiDocument(routes, config.apiPrefix, config.publicUrl, sessionCookie(isPublicTls).name),
    closing,
    draining: options.draining ?? closing,
    caughtUp: options.caughtUp ?? AbortSignal.abort(),
  }
}
