import { caseReport } from '../../../../core/case/report.ts'
import { isInScope } from '../../../../core/common/scope.ts'
import { scopeOf } from '../../caller/caller.ts'
import { acceptsRather } from '../../request/accepts-rather.ts'
import { component, defineRoute } from '../../routing/route.ts'
import { caseFileView, caseView } from './case-view.ts'
import { objectSchema, time } from '../system/page.ts'
import { readCaseFile, requireCase } from './read-case.ts'

const limits = { alerts: 200, runs: 200, actions: 500, timeline: 2_000 }
const maxContentBytes = 4 * 1_048_576
const markdown = 'text/markdown'
const count = { type: 'integer', minimum: 0 } as const

export const exportCase = defineRoute({
  method: 'GET',
  path: '/cases/{case}/export',
  access: 'cases:read',
  summary:
    'A case with all its parts as one document: JSON, or a Markdown report. Contents of alerts need `alerts:read`.',
  answer: objectSchema({
    exported_at: time,
    case: component('case'),
    left_out: {
      ...objectSchema({
        alerts: count,
        runs: count,
        actions: count,
        containments: count,
        observables: count,
        timeline: count,
      }),
      description:
        'Number of omitted parts: beyond 200 alerts, runs and containments, 500 actions and observables, 2,000 timeline entries.',
    },
  }),
  alsoText: markdown,
  query: {
    format: {
      type: 'string',
      enum: ['json', 'markdown'],
      description:
        'Default: the type that `Accept` prefers, `application/json` or `text/markdown`; otherwise `json`.',
    },
  },
  async handle({ params, query, headers, caller }, services) {
    const { clock, directory, stores } = services
    const found = await requireCase(services, caller.scope, params.case)
    const ofAlerts = scopeOf(caller.grants, 'alerts:read') ?? []
    const showsContents = isInScope(ofAlerts, found.organizationUuid)
    const contentBytes = showsContents ? maxContentBytes : undefined
    const file = await readCaseFile(services, found, { ...limits, contentBytes })
    const isReport =
      (query.format ?? (acceptsRather(headers.accept, markdown) ? 'markdown' : 'json')) === 'markdown'
    const name = `${found.id}.${isReport ? 'md' : 'json'}`
    await stores.audit.record({
      action: 'case.exported',
      by: caller.actor,
      organizationUuid: found.organizationUuid,
      subject: { kind: 'case', id: found.id, name: found.title },
      details: { format: isReport ? 'markdown' : 'json' },
    })
    const fileHeaders = { 'content-disposition': `attachment; filename="${name}"`, vary: 'Accept' }
    if (isReport) {
      const text = caseReport(file, clock.now())
      return { text, type: `${markdown}; charset=utf-8`, headers: fileHeaders }
    }
    const body = {
      exported_at: clock.now(),
      case: { ...(await caseView(found, directory)), ...(await caseFileView(file, services, caller.scope)) },
      left_out: file.leftOut,
    }
    return { body, headers: fileHeaders }
  },
})
