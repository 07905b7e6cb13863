const ana = {
  uuid: '00000001-1111-4111-8111-000000000001',
  name: 'Ana Example',
  email: 'ana@example.com',
  employee_id: 'E00001',
}
const cy = {
  uuid: '00000003-1111-4111-8111-000000000003',
  name: 'Cy Booker',
  email: 'cy@example.com',
  employee_id: 'E00003',
}
const trip = { trip_uuids: ['7f000001-3333-4333-8333-000000000001'], trip_name: 'London, Jan 2026' }
const days = { start_date: '2026-01-20', end_date: '2026-01-24' }

/** A trip booked by somebody else: the example of the skill's output. */
export const londonTrip = {
  trip_uuid: '7f000001-3333-4333-8333-000000000001',
  name: 'London, Jan 2026',
  status: 'confirmed',
  role: 'traveler',
  starts_at: '2026-01-20T08:00:00.000Z',
  ends_at: '2026-01-24T17:50:00.000Z',
  country: 'GB',
  city: 'London',
  countries: ['GB'],
  bookings: [
    {
      uuid: 'b0000001-2222-4222-8222-000000000001',
      type: 'FLIGHT',
      status: 'TICKETED',
      cancelled: false,
      vendor: 'Example Air',
      booking_id: 'K9XQ2L',
      confirmation_number: 'K9XQ2L',
      ...days,
      booker: cy,
      travelers: [ana],
      origin: { country: 'DE', city: 'Berlin', airport_code: 'BER' },
      destination: { country: 'GB', city: 'London', airport_code: 'LHR' },
      ...trip,
    },
    {
      uuid: 'b0000002-2222-4222-8222-000000000002',
      type: 'HOTEL',
      status: 'CONFIRMED',
      cancelled: false,
      vendor: 'Sample Hotel London',
      booking_id: 'H-551200',
      confirmation_number: null,
      ...days,
      booker: cy,
      travelers: [ana],
      origin: null,
      destination: { country: 'GB', city: 'London', airport_code: null },
      ...trip,
    },
  ],
} as const
