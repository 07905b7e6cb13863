import { alertStatus, type Alert, type NewAlert } from '../../../../core/domain/alert.ts'
import { ConflictError } from '../../../../core/errors/errors.ts'
import type { AlertStore } from '../../../../core/ports/alert-store.ts'
import { patterns } from '../../request/patterns.ts'
import { RequestError } from '../../request/request-error.ts'
import { defineRoute, type Services } from '../../routing/route.ts'
import { alertView, wholeAlertSchema } from './alert-view.ts'
import { bothKnown } from '../../caller/directory.ts'
import { idempotencyKeepMs, idempotencyKey, idempotencyKeyReused } from '../../request/idempotency.ts'
import { readInt64 } from './int64.ts'
import { preferredWait } from './prefer.ts'
import { posters } from '../../caller/caller.ts'

export const createAlert = defineRoute({
  method: 'POST',
  path: '/alerts',
  access: posters,
  summary: 'Takes an alert in; one with a type is investigated.',
  status: 201,
  answer: wholeAlertSchema,
  // It answers with the alert as it is then, and is stored with the alert.
  once: false,
  headers: {
    type: 'object',
    properties: {
      'idempotency-key': idempotencyKey,
      prefer: { type: 'string', description: '`wait=<seconds>`: answer when the investigation has ended.' },
    },
  },
  body: {
    type: 'object',
    additionalProperties: false,
    required: ['alert_content', 'alert_provider', 'organization_code'],
    properties: {
      alert_content: { type: 'string', description: 'Body of the alert, kept byte for byte.' },
      alert_provider: {
        type: 'string',
        description: 'Code of a known provider; letter case does not matter.',
      },
      organization_code: {
        type: 'string',
        description: 'Code of an organization of the key; letter case does not matter.',
      },
      alert_type: {
        type: ['string', 'null'],
        minLength: 1,
        maxLength: 200,
        ...patterns.line,
        description: `What kind of alert it is; ${patterns.line.patternErrorMessage}. Without it the alert is stored and not investigated.`,
      },
      created_at_source: {
        type: ['integer', 'null'],
        description: 'int64: when the alert arose, in whatever unit its source counts; kept as it is.',
      },
    },
  },
  async handle({ body, caller, headers, gone }, services) {
    const source = body.created_at_source ?? null
    const createdAtSource = source === null ? null : readInt64(source, '/created_at_source')
    const [organization, provider] = await bothKnown(
      services.directory.organization(caller.scope, body.organization_code, '/organization_code'),
      services.directory.provider(body.alert_provider, '/alert_provider'),
    )
    const type = body.alert_type ?? null
    if (type !== null && !services.investigations.accepting(organization.uuid)) {
      services.engine.storms.count('refused', organization.uuid)
      throw investigationsFull()
    }

    const key = headers['idempotency-key']
    const { alert, replayed } = await store(services.stores.alerts, key?.toString(), {
      content: body.alert_content,
      provider: provider.code,
      organizationUuid: organization.uuid,
      type,
      createdAtSource,
      createdBy: caller.keyUuid,
    })
    if (!replayed) services.engine.storms.count('received', organization.uuid)
    if (!replayed && type !== null) services.investigations.submit(alert)
    const location = `/alerts/${alert.id}`
    const marks = replayed ? { 'idempotency-replayed': 'true' } : {}
    const seconds = hasEnded(alert) || type === null ? undefined : preferredWait(headers.prefer)
    // Who finds no place to wait is answered at once: the preference is not applied (RFC 7240, section 2).
    const leave = seconds === undefined ? undefined : services.takeWaitPlace(caller.scope)
    if (seconds === undefined || leave === undefined)
      return { body: alertView(alert), location, headers: marks }
    const later = await investigated(alert, seconds, gone, services).finally(leave)
    return {
      body: alertView(later),
      location,
      headers: { ...marks, 'preference-applied': `wait=${seconds}` },
    }
  },
})

async function store(alerts: AlertStore, key: string | undefined, alert: NewAlert) {
  if (key === undefined) return { alert: await alerts.create(alert), replayed: false }
  try {
    return await alerts.createOnce(alert, { key, keepMs: idempotencyKeepMs })
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'idempotency_key_reused') throw error
    throw idempotencyKeyReused('alert')
  }
}

const hasEnded = ({ status }: Alert): boolean =>
  status === alertStatus.completed || status === alertStatus.failed

function investigationsFull(): RequestError {
  return new RequestError('investigations_full', 'Too many investigations are waiting; nothing was stored.', {
    hint: 'send the alert again after the time in Retry-After',
    headers: { 'retry-after': '5' },
  })
}

/** The alert as it is when its investigation has ended, the seconds are over, nobody waits any more, or the server closes. */
async function investigated(
  alert: Alert,
  seconds: number,
  gone: AbortSignal,
  services: Services,
): Promise<Alert> {
  const { stores, investigations, closing } = services
  const { promise: over, resolve: stop } = Promise.withResolvers<undefined>()
  const ends = [closing, gone]
  const onOver = (): void => stop(undefined)
  for (const end of ends) end.addEventListener('abort', onOver, { once: true })
  if (ends.some(({ aborted }) => aborted)) onOver()
  try {
    await Promise.race([investigations.wait(alert.id, seconds * 1_000), over])
    return (await stores.alerts.find([alert.organizationUuid], alert.uuid)) ?? alert
  } catch {
    // The alert is stored: whatever goes wrong with waiting, the answer is that it was taken in.
    return alert
  } finally {
    for (const end of ends) end.removeEventListener('abort', onOver)
  }
}
