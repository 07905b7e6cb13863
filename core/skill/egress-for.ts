import type { Egress, EgressRequest } from '../ports.ts'

/** The same way out, which says on whose behalf. */
export const egressFor = (
  egress: Egress,
  whose: Pick<EgressRequest, 'plugin' | 'organizationUuid'>,
): Egress => ({
  send: (request) => egress.send({ ...request, ...whose }),
})
