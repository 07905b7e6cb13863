import { expect } from 'chai'
import { isObject, objectsAt, valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import { decodeBooking } from './bookings/booking.ts'
import { bookingQuery } from './bookings/booking-query.ts'
import sandbox from './sandbox.ts'
import { travelFixture } from './sandbox/fixture.ts'
import { getBookings } from './skills/get-bookings.ts'

type Input = Parameters<typeof getBookings.run>[0]
type Running = Awaited<ReturnType<typeof sandbox.start>>

const settings = { client_id: 'an-id', client_secret: 'a-secret' }
const token = 'a-token-for-tests'
const now = Date.parse('2026-01-21T12:00:00Z')
const january: Input = { created_from: '2026-01-01T00:00:00Z', created_to: '2026-01-31T00:00:00Z' }

describe('travel.get_bookings', () => {
  let running: Running
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const get = async (input: Input) =>
    (await runSkill(getBookings, input, { settings: running.settings, egress: loopbackEgress, now })).output
  const ids = async (input: Input) =>
    (await get({ ...january, ...input })).bookings.map(({ uuid }) => Number(uuid.slice(1, 8)))

  it('returns every booking with all of its fields in raw', async () => {
    const output = await get(january)
    expect(output).to.deep.include({ counts: { returned: 6, read: 6, total: 6 }, partial: false })
    const recorded = objectsAt(travelFixture('bookings-page-0-of-2'), 'data')
    expect(output.bookings.slice(0, 2).map(({ raw }) => raw)).to.deep.equal(recorded)
    expect(output.bookings[0]).to.deep.include({
      type: 'FLIGHT',
      status: 'TICKETED',
      cancelled: false,
      created: '2026-01-05T09:12:44.000Z',
      last_modified: '2026-01-06T10:00:00.000Z',
      purpose: 'Customer meeting',
      currency: 'EUR',
      grand_total: 412.3,
      usd_grand_total: 448.15,
      out_of_policy: false,
      approval_status: null,
    })
  })

  const questions: readonly (readonly [Input, ids: readonly number[]])[] = [
    [{ booking_type: 'hotel' }, [2, 5]],
    [{ booking_status: 'CANCELED' }, [5]],
    [{ booking_status: 'Cancelled' }, [5]],
    [{ start_date_from: '2026-01-27T00:00:00Z', start_date_to: '2026-01-27T00:00:00Z' }, [3, 4, 6]],
    [{ created_from: '2026-01-08T07:30:00Z' }, [4]],
    [{ created_to: '2026-01-05T09:12:44Z' }, [1]],
    [{ email: ' BO@Example.com ' }, [3, 4, 6]],
    [{ user_id: '00000003-1111-4111-8111-000000000003' }, [1, 2, 5]],
    [{ email: 'ana@example.com', booking_type: 'CAR' }, [3, 6]],
    [{ reference: 'k9xq2l' }, [1]],
    [{ reference: 'B0000004-2222-4222-8222-000000000004' }, [4]],
    [{ reference: 'K9XQ2' }, []],
  ]
  for (const [input, found] of questions) {
    it(`finds ${JSON.stringify(found)} for ${JSON.stringify(input)}`, async () => {
      expect(await ids(input)).to.have.members(found)
    })
  }

  it('sees a booking cancelled in the meantime', async () => {
    running.controls.cancel('b0000001-2222-4222-8222-000000000001')
    const [booking] = (await get({ ...january, reference: 'K9XQ2L' })).bookings
    expect(booking).to.include({ cancelled: true, status: 'CANCELED' })
  })

  it('reads pages from number 0 up to the limit and reports more', async () => {
    const { output, requests } = await runSkill(
      getBookings,
      { ...january, limit: 250 },
      { settings, token, replies: ({ url }) => ({ json: manyBookings(new URL(url).searchParams, 604) }) },
    )
    expect(new Set(output.bookings.map(({ uuid }) => uuid)).size).to.equal(250)
    expect(output).to.deep.include({ counts: { returned: 250, read: 300, total: 604 }, partial: true })
    expect(requests.map(({ url }) => new URL(url).searchParams.get('page'))).to.deep.equal(['0', '1', '2'])
  })

  it('counts a booking that moved to the next page once, and ends with an empty page', async () => {
    const pages = [['a', 'b'], ['b', 'c'], []].map((uuids, currentPage) => ({
      data: uuids.map((uuid) => ({ uuid })),
      page: { totalPages: 9, currentPage },
    }))
    const { output } = await runSkill(getBookings, january, {
      settings,
      token,
      replies: pages.map((json) => ({ json })),
    })
    expect(output.bookings.map(({ uuid }) => uuid)).to.deep.equal(['a', 'b', 'c'])
    expect(output.partial, 'more pages were announced').to.equal(true)
  })

  it("is partial if it read fewer than the platform's total", async () => {
    const partial = async (...replies: readonly object[]): Promise<boolean> =>
      (await runSkill(getBookings, january, { settings, token, replies: replies.map((json) => ({ json })) }))
        .output.partial
    const data = [{ uuid: 'a' }, { uuid: 'b' }]
    const page = (totalPages: number, currentPage: number, totalElements?: number) => ({
      totalPages,
      currentPage,
      totalElements,
    })
    expect(await partial({ data: [], page: page(1, 0, 4) })).to.equal(true)
    expect(await partial({ data, page: page(1, 0, 4) })).to.equal(true)
    expect(await partial({ data, page: page(2, 0, 4) }, { data, page: page(2, 1, 4) })).to.equal(true)
    expect(await partial({ data, page: page(1, 0, 2) })).to.equal(false)
    expect(await partial({ data: [], page: page(0, 0, 0) })).to.equal(false)
    const asText = { totalPages: '1', currentPage: '0', totalElements: '4' }
    expect(await partial({ data, page: asText }), 'counts as text').to.equal(true)
    // The response numbers pages from 1, so its page 1 says nothing about page 0.
    const more = { data: [{ uuid: 'c' }, { uuid: 'd' }], page: page(2, 2, 4) }
    expect(await partial({ data, page: page(2, 1, 4) }, more)).to.equal(false)
  })

  it('skips a booking without a uuid and reports it', async () => {
    for (const odd of [{ bookingId: 'x' }, null, 7]) {
      const data = [odd, { uuid: 'a' }]
      const { output } = await runSkill(getBookings, january, {
        settings,
        token,
        replies: [{ json: { data } }],
      })
      expect(output.bookings.map(({ uuid }) => uuid)).to.deep.equal(['a'])
      expect(output).to.deep.include({
        counts: { returned: 1, read: 2, total: null },
        partial: true,
        unreadable: 1,
      })
      expect(output.unreadable_why?.[0]).to.match(/without a uuid|not an object/)
    }
  })

  it('fails if no booking of a page has a uuid', async () => {
    const replies = [{ json: { data: [{ bookingId: 'x' }] } }]
    const error: unknown = await runSkill(getBookings, january, { settings, token, replies }).catch(
      (reason: unknown) => reason,
    )
    expect(valueAt(error, 'code')).to.equal('bad_response')
  })

  it('refuses an unknown status or kind and sends nothing', async () => {
    for (const input of [{ booking_status: 'NONSENSE' }, { booking_type: 'HOTELS' }]) {
      const error: unknown = await get({ ...january, ...input }).catch((reason: unknown) => reason)
      expect(valueAt(error, 'code')).to.equal('unknown_word')
      expect(valueAt(error, 'hint')).to.match(/^one of (CANCELED|HOTEL), /)
    }
    expect(running.requests).to.have.length(0)
  })

  it('ends at 100 pages and reports it', async () => {
    const { output, requests } = await runSkill(
      getBookings,
      { ...january, reference: 'none' },
      { settings, token, replies: ({ url }) => ({ json: manyBookings(new URL(url).searchParams, 20_000) }) },
    )
    expect(requests).to.have.length(100)
    expect(output).to.deep.equal({
      bookings: [],
      counts: { returned: 0, read: 10_000, total: 20_000 },
      partial: true,
    })
  })

  it('refuses a span that ends before it begins and sends nothing', async () => {
    for (const input of [
      { created_from: '2026-02-01T00:00:00Z', created_to: '2026-01-01T00:00:00Z' },
      { start_date_from: '2026-02-01T00:00:00Z', start_date_to: '2026-01-01T00:00:00Z' },
    ]) {
      const error: unknown = await get(input).catch((reason: unknown) => reason)
      expect(valueAt(error, 'code')).to.equal('invalid_time')
    }
    expect(running.requests).to.have.length(0)
  })

  it('names the default of created_from if created_to is before it', async () => {
    const input: Input = { start_date_from: '2026-01-01T00:00:00Z', created_to: '2024-01-01T00:00:00Z' }
    const error: unknown = await get(input).catch((reason: unknown) => reason)
    expect(valueAt(error, 'code')).to.equal('invalid_time')
    expect(valueAt(error, 'message')).to.match(/^created_to is before 2024-11-27T00:00:00.000Z/)
    expect(valueAt(error, 'hint')).to.match(/default is 400 days before/)
    expect(running.requests).to.have.length(0)
  })

  it('refuses a time without a zone', async () => {
    const error: unknown = await get({ created_from: '2026-02-01T00:00:00' }).catch(
      (reason: unknown) => reason,
    )
    expect(valueAt(error, 'code')).to.equal('value_invalid')
  })

  it('logs no booking content', async () => {
    const { logs } = await runSkill(getBookings, january, {
      settings: running.settings,
      egress: loopbackEgress,
    })
    expect(logs).to.deep.equal([])
  })
})

describe('bookingQuery', () => {
  const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 1000

  it('always sends the creation span, in whole seconds', () => {
    expect(bookingQuery({}, now + 1)).to.deep.include({
      createdFrom: now / 1000 - 30 * 86_400,
      createdTo: now / 1000 + 1,
    })
    expect(bookingQuery({ start_date_from: '2026-01-20T00:00:00Z' }, now)).to.deep.include({
      createdFrom: day('2024-12-16'),
      createdTo: now / 1000,
      startDateFrom: day('2026-01-20'),
      startDateTo: undefined,
    })
    expect(bookingQuery({ start_date_to: '2026-01-20T00:00:00Z' }, now)['createdFrom']).to.equal(
      day('2024-12-16'),
    )
    expect(bookingQuery({ created_to: '2026-01-10T00:00:00Z' }, now)['createdFrom']).to.equal(
      day('2025-12-11'),
    )
  })

  it("writes values in the platform's terms", () => {
    expect(bookingQuery({ booking_status: 'canceled', booking_type: 'Flight' }, now)).to.include({
      bookingStatus: 'CANCELED',
      bookingType: 'FLIGHT',
    })
  })
})

describe('decodeBooking', () => {
  for (const name of ['page-0-of-2', 'page-1-of-2', 'cancelled', 'one-user-three-roles', 'single-flight']) {
    it(`reads the sample ${name}`, () => {
      for (const booking of objectsAt(travelFixture(`bookings-${name}`), 'data')) {
        const read = decodeBooking(booking)
        expect(read.raw).to.equal(booking)
        expect(read.startMs).to.be.a('number')
        expect(read.endMs).to.be.above(read.startMs ?? 0)
        expect(read.cancelled).to.equal(name === 'cancelled')
      }
    })
  }

  const absent = {
    type: null,
    status: null,
    cancelled: false,
    vendor: null,
    booking_id: null,
    confirmation_number: null,
    start_date: null,
    end_date: null,
    booker: null,
    travelers: [],
    origin: null,
    destination: null,
    segments: [],
    trip_uuids: [],
    trip_name: null,
    startMs: null,
    endMs: null,
  }

  it('reads a booking with only a uuid', () => {
    expect(decodeBooking({ uuid: 'a' })).to.deep.equal({ uuid: 'a', ...absent, raw: { uuid: 'a' } })
  })

  it('reads a booking whose fields are null or of another type', () => {
    const [sample] = objectsAt(travelFixture('bookings-single-flight'), 'data')
    for (const odd of [null, 7, 'text', [], {}, [null], [7], true]) {
      const raw = Object.fromEntries(Object.keys(sample ?? {}).map((key) => [key, odd]))
      const read = decodeBooking({ ...raw, uuid: 'a' })
      expect(read).to.include({ uuid: 'a', startMs: null, endMs: null })
      expect(read.travelers).to.deep.equal([])
    }
  })

  it('refuses a booking without a uuid', () => {
    expect(() => decodeBooking({ bookingId: 'x' })).to.throw(/without a uuid/)
  })

  it('reads guests, alternative field names, and times in milliseconds', () => {
    const read = decodeBooking({
      uuid: 'a',
      bookingStatus: 'voided',
      booker: { name: 'Di', employeedId: 'E7' },
      passengers: [{ travelerType: 'GUEST', person: { name: 'Guest' } }, { person: null }, null],
      segments: [
        { startTimestamp: 1_768_896_000_000, endTimestamp: 1_768_905_000, arrival: { countryCode: 'fr' } },
      ],
      tripUuids: ['t', null, ''],
    })
    expect(read).to.deep.include({ cancelled: true, trip_uuids: ['t'] })
    expect(read.booker).to.deep.equal({ uuid: null, name: 'Di', email: null, employee_id: 'E7' })
    expect(read.travelers).to.deep.equal([{ uuid: null, name: 'Guest', email: null, employee_id: null }])
    expect(read.segments[0]).to.deep.equal({
      departure: null,
      arrival: { country: 'FR', city: null, airport_code: null },
      startMs: 1_768_896_000_000,
      endMs: 1_768_905_000_000,
    })
  })

  it('detects a cancellation by its time too', () => {
    const booking = { uuid: 'a', bookingStatus: 'CONFIRMED', cancelledAt: '2026-01-09T08:00:00.000Z' }
    expect(decodeBooking(booking).cancelled).to.equal(true)
  })

  it('uses the local times of a segment without others', () => {
    const local = { startLocalDateTime: '2026-01-20T09:00:00', endLocalDateTime: '2026-01-20T11:30:00' }
    expect(decodeBooking({ uuid: 'a', startDate: '2026-01-20', segments: [local] })).to.include({
      startMs: Date.parse('2026-01-20T09:00:00Z'),
      endMs: Date.parse('2026-01-20T11:30:00Z'),
    })
    const both = { ...local, startTimestamp: '1768896000', endTimestamp: null }
    expect(decodeBooking({ uuid: 'a', segments: [both] })).to.include({
      startMs: Date.parse('2026-01-20T08:00:00Z'),
      endMs: Date.parse('2026-01-20T11:30:00Z'),
    })
  })

  it('uses whole days without segments', () => {
    expect(decodeBooking({ uuid: 'a', startDate: '2026-01-20', endDate: '2026-01-21' })).to.include({
      startMs: Date.parse('2026-01-20T00:00:00Z'),
      endMs: Date.parse('2026-01-22T00:00:00Z'),
    })
    expect(decodeBooking({ uuid: 'a', startDate: '2026-01-20' }).endMs).to.equal(
      Date.parse('2026-01-21T00:00:00Z'),
    )
    expect(decodeBooking({ uuid: 'a', startDate: '20.01.2026' }).startMs).to.equal(null)
  })
})

/** One page of a platform that has `total` bookings. */
function manyBookings(query: URLSearchParams, total: number) {
  const size = Number(query.get('size'))
  const number = Number(query.get('page'))
  expect(size).to.be.at.most(100)
  const data = Array.from({ length: Math.max(0, Math.min(size, total - number * size)) }, (_, index) => ({
    uuid: `b-${number * size + index}`,
  }))
  expect(data.every(isObject)).to.equal(true)
  const page = { totalPages: Math.ceil(total / size), currentPage: number, totalElements: total }
  return { data, page }
}
