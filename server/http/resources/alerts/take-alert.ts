import type { IdentifiedAlert } from '../../../../core/alert-source/index.ts'
import type { NewAlert } from '../../../../core/domain/alert.ts'
import type { OnceKey } from '../../../../core/ports/alert-store.ts'
import { RequestError } from '../../request/request-error.ts'
import type { Services } from '../../routing/route.ts'

type Intake = Pick<Services, 'investigations' | 'engine' | 'intakeGate'>

/** Throws RequestError `investigations_full` if an alert with this type cannot be investigated now. */
function requireAccepting({ investigations, engine }: Intake, { type, organizationUuid }: NewAlert): void {
  if (type === null || investigations.accepting(organizationUuid)) return
  engine.storms.count('refused', organizationUuid)
  throw new RequestError('investigations_full', 'Too many investigations are queued; nothing was stored.', {
    hint: 'send the alert again after the time in Retry-After',
    headers: { 'retry-after': '5' },
  })
}

/**
 * Stores an alert in the turn of its organization, and starts its investigation. Every alert comes in here, by the API or a webhook.
 *
 * @throws RequestError `investigations_full`, `intake_full`; and what `Investigations.receive` throws
 */
export async function takeAlert(
  services: Intake,
  given: NewAlert,
  once: OnceKey | undefined,
  identified?: IdentifiedAlert,
) {
  const { organizationUuid } = given
  requireAccepting(services, given)
  const taken = await services.intakeGate.inTurn(organizationUuid, () => {
    // Others were accepted while this alert waited for its turn.
    requireAccepting(services, given)
    return services.investigations.receive(given, once, identified)
  })
  if (!taken.replayed) services.engine.storms.count('received', organizationUuid)
  return taken
}
