import { expect } from 'chai'
import { decodeBooking } from './bookings/booking.ts'
import { groupTrips } from './bookings/trip.ts'
import { tripPlaces } from './bookings/trip-countries.ts'

const flight = (from: string | null, to: string | null, day: string, more: object = {}) =>
  decodeBooking({
    uuid: `${from}-${to}-${day}`,
    bookingType: 'FLIGHT',
    bookingStatus: 'TICKETED',
    startDate: day,
    endDate: day,
    tripUuids: ['t'],
    destination: { country: to, city: `city of ${to}` },
    segments: [{ departure: { country: from }, arrival: { country: to } }],
    ...more,
  })

const at = (country: string, day: string, bookingType = 'HOTEL') =>
  decodeBooking({
    uuid: `${bookingType}-${country}-${day}`,
    bookingType,
    bookingStatus: 'CONFIRMED',
    startDate: day,
    tripUuids: ['t'],
    segments: [{ departure: { country }, arrival: { country } }],
  })

describe('tripPlaces', () => {
  const rows: readonly (readonly [
    about: string,
    bookings: Parameters<typeof tripPlaces>[0],
    country: string | null,
    countries: readonly string[],
  ])[] = [
    ['a round trip', [flight('DE', 'GB', '1'), flight('GB', 'DE', '5')], 'GB', ['GB']],
    [
      'several countries',
      [flight('DE', 'FR', '1'), flight('FR', 'ES', '2'), flight('ES', 'DE', '5')],
      'FR',
      ['FR', 'ES'],
    ],
    [
      'a stop on the way',
      [
        flight('DE', 'US', '1', {
          segments: [
            { departure: { country: 'DE' }, arrival: { country: 'GB' } },
            { departure: { country: 'GB' }, arrival: { country: 'US' } },
          ],
        }),
      ],
      'US',
      ['GB', 'US'],
    ],
    [
      'a train to the airport',
      [flight('DE', 'DE', '1', { bookingType: 'RAIL' }), flight('DE', 'US', '2')],
      'US',
      ['US'],
    ],
    ['a domestic trip', [flight('DE', 'DE', '1'), at('DE', '1')], 'DE', ['DE']],
    ['only a hotel', [at('FR', '1')], 'FR', ['FR']],
    ['a car picked up abroad', [at('FR', '1', 'CAR'), at('ES', '3')], 'FR', ['FR', 'ES']],
    [
      'a car returned in another country',
      [
        decodeBooking({
          uuid: 'a',
          bookingType: 'CAR',
          segments: [{ departure: { country: 'FR' }, arrival: { country: 'ES' } }],
        }),
      ],
      'FR',
      ['FR', 'ES'],
    ],
    [
      'no segments',
      [
        decodeBooking({
          uuid: 'a',
          bookingType: 'FLIGHT',
          origin: { country: 'DE' },
          destination: { country: 'GB' },
        }),
      ],
      'GB',
      ['GB'],
    ],
    [
      'no destination',
      [
        decodeBooking({
          uuid: 'a',
          bookingType: 'RAIL',
          segments: [{ departure: { country: 'DE' }, arrival: { country: 'AT' } }],
        }),
      ],
      'AT',
      ['AT'],
    ],
    ['an unknown start', [flight(null, 'GB', '1')], 'GB', ['GB']],
    ['an unknown end', [flight('DE', null, '1')], null, []],
    ['an empty booking', [decodeBooking({ uuid: 'a' })], null, []],
  ]
  for (const [about, bookings, country, countries] of rows) {
    it(`reads ${about}`, () => {
      expect(tripPlaces(bookings)).to.deep.include({ country, countries })
    })
  }

  it('names the city of the main destination', () => {
    expect(tripPlaces([flight('DE', 'GB', '1')]).city).to.equal('city of GB')
  })
})

describe('groupTrips', () => {
  const wanted = { email: 'a@example.com' }
  const booking = (uuid: string, more: object) => decodeBooking({ uuid, bookingStatus: 'CONFIRMED', ...more })
  const keys = (bookings: readonly ReturnType<typeof booking>[]) =>
    groupTrips(bookings, wanted).map(({ trip_uuid, bookings }) => [
      trip_uuid,
      bookings.map(({ uuid }) => uuid).join(' '),
    ])

  it('puts a booking of two trips in both, and one without a trip in its own', () => {
    const list = [
      booking('both', { startDate: '2026-01-05', tripUuids: ['t1', 't2'] }),
      booking('alone', { startDate: '2026-01-04' }),
      booking('also alone', { startDate: '2026-01-06' }),
      booking('early', { startDate: '2026-01-01', tripUuids: ['t2'] }),
      booking('undated', { tripUuids: ['t1'] }),
      booking('undated alone', {}),
    ]
    expect(keys(list)).to.deep.equal([
      ['t2', 'early both'],
      [null, 'alone'],
      ['t1', 'both undated'],
      [null, 'also alone'],
      [null, 'undated alone'],
    ])
  })

  it('computes the status from the bookings that remain', () => {
    const status = (...words: readonly (string | null)[]) =>
      groupTrips(
        words.map((bookingStatus, index) => booking(`b${index}`, { bookingStatus, tripUuids: ['t'] })),
        wanted,
      )[0]?.status
    expect(status('CANCELED', 'CONFIRMED')).to.equal('confirmed')
    expect(status('Ticketed', 'UNKNOWN')).to.equal('confirmed')
    expect(status('UNKNOWN', 'CANCELED')).to.equal('unconfirmed')
    expect(status(null)).to.equal('unconfirmed')
    expect(status('VOIDED', 'REJECTED_BY_PROVIDER', 'CANCELLED')).to.equal('cancelled')
  })

  it('ignores time and place of cancelled bookings', () => {
    const [trip] = groupTrips(
      [flight('DE', 'GB', '2026-01-01'), flight('GB', 'US', '2026-01-09', { bookingStatus: 'CANCELED' })],
      wanted,
    )
    expect(trip).to.deep.include({ countries: ['GB'], endMs: Date.parse('2026-01-02T00:00:00Z') })
    expect(trip?.bookings).to.have.length(2)
  })

  it('includes only places of confirmed bookings in a confirmed trip', () => {
    const unconfirmed = { bookingStatus: 'UNKNOWN' }
    const trip = (...bookings: readonly ReturnType<typeof booking>[]) => groupTrips(bookings, wanted)[0]
    expect(
      trip(flight('DE', 'GB', '2026-01-01'), flight('GB', 'US', '2026-01-09', unconfirmed)),
    ).to.deep.include({
      status: 'confirmed',
      country: 'GB',
      countries: ['GB'],
      endMs: Date.parse('2026-01-10T00:00:00Z'),
    })
    expect(
      trip(flight('DE', 'GB', '2026-01-01', unconfirmed), flight('GB', 'US', '2026-01-09', unconfirmed)),
    ).to.deep.include({ status: 'unconfirmed', countries: ['GB', 'US'] })
  })

  it('includes unconfirmed bookings in the start of a trip', () => {
    const [trip] = groupTrips(
      [
        flight('DE', 'GB', '2026-01-01', { bookingStatus: 'UNKNOWN' }),
        at('GB', '2026-01-02'),
        flight('GB', 'DE', '2026-01-05'),
      ],
      wanted,
    )
    expect(trip).to.deep.include({ country: 'GB', countries: ['GB'] })
  })

  it('merges the roles of the person across the bookings of a trip', () => {
    const me = { person: wanted }
    const role = (...bookings: readonly object[]) =>
      groupTrips(
        bookings.map((more, index) => booking(`b${index}`, { ...more, tripUuids: ['t'] })),
        wanted,
      )[0]?.role
    expect(role({ passengers: [me] })).to.equal('traveler')
    expect(role({ booker: wanted })).to.equal('booker')
    expect(role({ booker: wanted }, { passengers: [me] })).to.equal('both')
    expect(role({ booker: wanted, passengers: [me] })).to.equal('both')
  })
})
