/** API clients and their permissions. */
export interface TravelClient {
  readonly id: string
  readonly secret: string
  readonly scope: readonly string[]
}

export const travelClients = {
  all: {
    id: 'tocsin-sandbox',
    secret: 'sk_4d186321c1a7f0f354b297e8914ab240',
    scope: ['bookings:read', 'users:read'],
  },
  /** May not read users. */
  bookingsOnly: {
    id: 'tocsin-bookings',
    secret: 'sk_6512bd43d9caa6e02c990b0a82652dca',
    scope: ['bookings:read'],
  },
  /** Gets tokens without access, as from an address that is not allowed. */
  notAllowed: { id: 'tocsin-elsewhere', secret: 'sk_c20ad4d76fe97759aa27a0c99bff6710', scope: [] },
} as const satisfies Record<string, TravelClient>
