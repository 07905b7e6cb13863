import { loadRecording } from '../../../../core/backtest/recording.ts'
import { sideView } from '../../../../core/backtest/side-view.ts'
import { ConflictError } from '../../../../core/errors/errors.ts'
import type { Playbook } from '../../../../core/playbook/language/playbook.ts'
import { maxReportAlerts, shadowReport } from '../../../../core/shadow/report.ts'
import { shadowOutcomes } from '../../../../core/shadow/shadow-result.ts'
import { type Caller } from '../../caller/caller.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { asRefusal, publishScope } from '../playbooks/edit-playbook.ts'
import { compiledPlaybook } from '../playbooks/playbook-results.ts'
import { apiPlaybookSchema, playbookView, requirePlaybook } from '../playbooks/playbook-view.ts'
import { epochMs, pageOf, pageParameters, pageSchema, pageView } from '../system/page.ts'
import { shadowAlertSchema, shadowReportSchema, shadowRowSchema, shadowRowView } from './shadow-view.ts'

const defaultSpanMs = 30 * 86_400_000

const spanParameters = {
  created_after: {
    ...epochMs,
    description: 'Investigations that ended from this time on (epoch milliseconds). Default: 30 days ago.',
  },
  created_before: { ...epochMs, description: 'Investigations that ended before this time. Default: now.' },
  organization_code: { type: 'string', description: 'Only alerts of this organization. Default: all.' },
} as const

interface Span {
  readonly created_after?: number | undefined
  readonly created_before?: number | undefined
  readonly organization_code?: string | undefined
}

const getShadowReport = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/shadow',
  access: 'runs:read',
  summary:
    'Reports how the decisions of a playbook in shadow agree with those of the live runs and the analysts.',
  answer: shadowReportSchema,
  query: spanParameters,
  async handle({ params, query, caller }, services) {
    const shadow = await requireShadow(params.playbook, caller, services)
    return { body: await reportOf(shadow, query, caller, services) }
  },
})

/** Throws RequestError `playbook_not_found`; ConflictError `playbook_not_in_shadow`. */
async function requireShadow(
  name: string,
  { scope }: Caller,
  { playbooks, directory }: Services,
): Promise<Playbook> {
  const seen = await directory.seen(scope, [...playbooks.shadows(), ...playbooks.authored()])
  const published = seen.find((each) => each.name === name)
  const shadow = published?.shadow === undefined ? undefined : published
  if (shadow !== undefined) return shadow
  if (published === undefined)
    throw new RequestError('playbook_not_found', undefined, {
      hint: 'GET playbooks lists the playbooks; the log of the server names files with errors',
    })
  const beside = playbooks.shadows().filter((each) => each.shadow?.beside === name)
  throw new ConflictError('playbook_not_in_shadow', `the playbook '${name}' does not run in shadow`, {
    hint:
      beside.length === 0
        ? 'add mode: shadow to a copy of it with another name'
        : `beside it in shadow: ${beside.map((each) => each.name).join(', ')}`,
  })
}

async function filterOf(shadow: Playbook, query: Span, caller: Caller, { directory, clock }: Services) {
  const until = query.created_before ?? clock.now() + 1
  const from = query.created_after ?? until - defaultSpanMs
  const code = query.organization_code
  const scope =
    code === undefined
      ? caller.scope
      : [(await directory.organization(caller.scope, code, '/organization_code')).uuid]
  return { scope, filter: { playbookName: shadow.name, from: Math.max(0, from), until } }
}

async function reportOf(shadow: Playbook, query: Span, caller: Caller, services: Services) {
  const { stores, playbooks, calculations } = services
  const { scope, filter } = await filterOf(shadow, query, caller, services)
  const [results, waiting] = await Promise.all([
    stores.shadows.newest(scope, filter, maxReportAlerts),
    stores.shadows.countWaiting(scope, shadow.name),
  ])
  const report = await calculations.inTurn(caller, () => shadowReport({ shadow, results, waiting }))
  const beside = shadow.shadow?.beside
  return {
    playbook: shadow.name,
    hash: shadow.hash,
    beside: beside ?? null,
    beside_hash: (beside === undefined ? undefined : playbooks.newest(beside)) ?? null,
    created_after: filter.from,
    created_before: filter.until,
    ...report,
  }
}

const listShadowAlerts = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/shadow/alerts',
  access: 'runs:read',
  summary:
    'Lists the alerts that the report of a shadow counts and those that wait, by the end of their investigation, newest first.',
  answer: pageSchema(shadowRowSchema),
  query: {
    ...pageParameters,
    sort: {
      type: 'string',
      enum: ['-ended_at', 'ended_at'],
      default: '-ended_at',
      description: 'Newest first with `-`.',
    },
    ...spanParameters,
    outcome: { enum: shadowOutcomes, description: 'Default: all, also those that wait.' },
  },
  async handle({ params, query, caller }, services) {
    const shadow = await requireShadow(params.playbook, caller, services)
    const { scope, filter } = await filterOf(shadow, query, caller, services)
    const page = await services.stores.shadows.list(scope, pageOf(query), {
      ...filter,
      // Those that the report counts.
      playbookHash: shadow.hash,
      outcome: query.outcome,
    })
    return { body: await pageView(page, (row) => shadowRowView(row, services.directory)) }
  },
})

/** As stored; see `judgeShadow`. */
interface Detail {
  readonly before?: unknown
  readonly after?: unknown
  readonly assumed?: readonly string[]
  readonly side?: unknown
}

const getShadowAlert = defineRoute({
  method: 'GET',
  path: '/playbooks/{playbook}/shadow/alerts/{alert}',
  access: 'runs:read',
  summary: 'Returns the result of a shadow for one alert, with the steps of the live run and of the shadow.',
  answer: shadowAlertSchema,
  async handle({ params, caller }, services) {
    const { stores, directory, calculations, catalogue, playbooks } = services
    const { name } = await requireShadow(params.playbook, caller, services)
    const found = await stores.shadows.find(caller.scope, name, params.alert)
    if (found === undefined)
      throw new RequestError('alert_not_found', 'The shadow was not judged on this alert.', {
        hint: 'GET playbooks/{playbook}/shadow/alerts lists the alerts; results are deleted with the steps of their run',
      })
    const { result } = found
    const detail = (found.detail ?? {}) as Detail
    const recording = await loadRecording(stores, result.organizationUuid, result.runUuid)
    const playbook = await compiledPlaybook(result.livePlaybook.hash, playbooks)
    const before = () =>
      'run' in recording
        ? sideView(
            { outcome: recording.run, notStarted: undefined, entries: recording.entries },
            playbook,
            catalogue,
          )
        : null
    return {
      body: {
        ...(await shadowRowView(result, directory)),
        assumed: detail.assumed ?? [],
        live_decision: detail.before ?? null,
        shadow_decision: detail.after ?? null,
        before: await calculations.inTurn(caller, before),
        after: detail.side ?? null,
      },
    }
  },
})

const promoteShadow = defineRoute({
  method: 'POST',
  path: '/playbooks/{playbook}/shadow/promote',
  // A second request finds no shadow, or another version.
  once: false,
  access: 'playbooks:write',
  summary:
    'Makes a shadow live, with its report in the audit log. Without access to all organizations: only one of an organization of yours.',
  answer: apiPlaybookSchema,
  body: {
    required: ['hash', 'beside_hash'],
    properties: {
      hash: { type: 'string', description: '`hash` of the report: the version of the shadow.' },
      beside_hash: {
        type: ['string', 'null'],
        description: '`beside_hash` of the report: the version that is replaced.',
      },
      created_after: spanParameters.created_after,
      created_before: spanParameters.created_before,
    },
  },
  async handle({ params, body, caller }, services) {
    const { playbooks, stores, scheduler, directory } = services
    const shadow = await requireShadow(params.playbook, caller, services)
    const report = await reportOf(shadow, body, caller, services)
    const seen = { shadow: body.hash, live: body.beside_hash }
    const { playbook } = await asRefusal(
      playbooks.promote(
        shadow.name,
        seen,
        caller.actor,
        evidenceIn(report, body.hash),
        await publishScope(caller, directory),
      ),
    )
    await scheduler.takeOver()
    const kept = await requirePlaybook(stores.playbooks, caller.scope, playbook.name)
    return { body: await playbookView(kept, services) }
  },
})

type Report = Awaited<ReturnType<typeof reportOf>>

/** What the audit log keeps of a report. */
function evidenceIn(report: Report, hash: string) {
  const { alerts, agrees, differs, unjudged, other_versions, agreement, verdicts, actions } = report
  return {
    shadow: report.playbook,
    shadow_hash: hash,
    replaced_hash: report.beside_hash,
    created_after: report.created_after,
    created_before: report.created_before,
    evidence: { alerts, agrees, differs, unjudged, other_versions, agreement, verdicts, actions },
  }
}

export const shadowRoutes = [getShadowReport, listShadowAlerts, getShadowAlert, promoteShadow]
