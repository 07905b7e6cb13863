import type { Egress, EgressRequest } from '../../ports/egress.ts'

/** The same way out, which says on whose behalf, and whether the address is that of a connection. */
export const egressFor = (
  egress: Egress,
  whose: Pick<EgressRequest, 'plugin' | 'organizationUuid' | 'isConnection'>,
): Egress => ({
  send: (request) => egress.send({ ...request, ...whose }),
})
