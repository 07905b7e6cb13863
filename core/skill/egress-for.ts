import type { Egress } from '../ports.ts'

/** The same way out, which says on whose behalf. */
export const egressFor = (egress: Egress, plugin: string): Egress => ({
  send: (request) => egress.send({ ...request, plugin }),
})
