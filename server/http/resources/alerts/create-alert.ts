import type { IdentifiedAlert } from '../../../../core/alert-source/index.ts'
import { alertStatus, type Alert, type NewAlert } from '../../../../core/domain/alert.ts'
import { ConflictError, ValidationError } from '../../../../core/errors/errors.ts'
import { patterns } from '../../request/patterns.ts'
import { defineRoute, type Answer, type ApiRequest, type Services } from '../../routing/route.ts'
import { alertView, wholeAlertSchema } from './alert-view.ts'
import { bothKnown } from '../../caller/directory.ts'
import { idempotencyKeepMs, idempotencyKey, idempotencyKeyReused } from '../../request/idempotency.ts'
import { preferredWait } from './prefer.ts'
import { takeAlert } from './take-alert.ts'

export const alertHeaders = {
  type: 'object',
  properties: {
    'idempotency-key': idempotencyKey,
    prefer: { type: 'string', description: '`wait=<seconds>`: respond when the investigation has ended.' },
  },
} as const

export const alertType = {
  type: ['string', 'null'],
  minLength: 1,
  maxLength: 200,
  ...patterns.line,
} as const

export const createAlert = defineRoute({
  method: 'POST',
  path: '/alerts',
  access: 'alerts:create',
  summary: 'Creates an alert; one with a type is investigated.',
  status: 201,
  answer: wholeAlertSchema,
  // The alert itself is stored with the key, and the response shows its current state.
  once: false,
  admit: (caller, { intakeGate }) => intakeGate.admit(caller),
  headers: alertHeaders,
  body: {
    required: ['alert_content', 'alert_provider', 'organization_code'],
    properties: {
      alert_content: { type: 'string', description: 'Body of the alert, stored byte for byte.' },
      alert_provider: {
        type: 'string',
        description: 'Code of a known provider, ignoring case.',
      },
      organization_code: {
        type: 'string',
        description: 'Code of an organization of the key, ignoring case.',
      },
      alert_type: {
        ...alertType,
        description: `Type of the alert; ${patterns.line.patternErrorMessage}. Without a type the alert is stored and not investigated.`,
      },
      created_at_source: {
        type: ['integer', 'null'],
        description: 'int64: creation time in the unit of the source, stored unchanged.',
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
    const given = {
      content: body.alert_content,
      provider: provider.code,
      organizationUuid: organization.uuid,
      type,
      createdAtSource,
      createdBy: caller.uuid,
    }
    return await answerReceived(given, { caller, headers, gone }, services)
  },
})

/**
 * Stores an alert and answers with it, after its investigation if the sender prefers to wait.
 *
 * @param identified what its content says, if that was read already
 */
export async function answerReceived(
  given: NewAlert,
  { caller, headers, gone }: Pick<ApiRequest<never, never, never>, 'caller' | 'headers' | 'gone'>,
  services: Services,
  identified?: IdentifiedAlert,
): Promise<Answer> {
  const { alert, replayed } = await receive(
    services,
    headers['idempotency-key']?.toString(),
    given,
    identified,
  )
  const location = `/alerts/${alert.id}`
  const marks = replayed ? { 'idempotency-replayed': 'true' } : {}
  const seconds = hasEnded(alert) || given.type === null ? undefined : preferredWait(headers.prefer)
  // Without a free place to wait, responds at once and does not apply the preference (RFC 7240, section 2).
  const leave = seconds === undefined ? undefined : services.takeWaitPlace(caller.scope)
  if (seconds === undefined || leave === undefined)
    return { body: alertView(alert), location, headers: marks }
  const later = await investigated(alert, seconds, gone(), services).finally(leave)
  return {
    body: alertView(later),
    location,
    headers: { ...marks, 'preference-applied': `wait=${seconds}` },
  }
}

async function receive(
  services: Services,
  key: string | undefined,
  alert: NewAlert,
  identified: IdentifiedAlert | undefined,
) {
  const once = key === undefined ? undefined : { key, keepMs: idempotencyKeepMs }
  try {
    return await takeAlert(services, alert, once, identified)
  } catch (error) {
    if (!(error instanceof ConflictError) || error.code !== 'idempotency_key_reused') throw error
    throw idempotencyKeyReused('alert')
  }
}

const hasEnded = ({ status }: Alert): boolean =>
  status === alertStatus.completed || status === alertStatus.failed

/** The alert after its investigation, a timeout, a disconnect, or the close of the server. */
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
    return { ...alert, ...(await stores.alerts.progress(alert.uuid)) }
  } catch {
    // The alert is stored, so errors while waiting do not matter.
    return alert
  } finally {
    for (const end of ends) end.removeEventListener('abort', onOver)
  }
}

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/**
 * Reads a JSON integer as an int64 without loss. `value` comes from `parseJson`, where digits beyond 2^53 are
 * bigint; `1e3` and `1.0` are integers too (JSON Schema), but beyond 2^53 they have lost digits and are
 * refused.
 *
 * @throws ValidationError `value_invalid`
 */
function readInt64(value: unknown, pointer: string): bigint {
  if (typeof value === 'bigint') {
    if (value >= least && value <= most) return value
    throw invalid(pointer, `must be an int64, between ${least} and ${most}`)
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'number' && Number.isInteger(value)) {
    throw invalid(
      pointer,
      'must be written in plain digits: a fraction or an exponent is not exact beyond 2^53',
    )
  }
  throw invalid(pointer, 'must be a whole number')
}

function invalid(pointer: string, message: string): ValidationError {
  return new ValidationError('value_invalid', `${pointer.slice(1)} ${message}`, [{ pointer, message }])
}
