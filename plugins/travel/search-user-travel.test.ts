import { expect } from 'chai'
import { valueAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'
import { searchWindow, type WindowInput } from './bookings/search-window.ts'
import { searchUserTravel } from './skills/search-user-travel.ts'

type Input = Parameters<typeof searchUserTravel.run>[0]
type Running = Awaited<ReturnType<typeof sandbox.start>>

const settings = { client_id: 'an-id', client_secret: 'a-secret' }
const token = 'a-token-for-tests'
const london = '7f000001-3333-4333-8333-000000000001'
const lyon = '7f000002-3333-4333-8333-000000000002'
const lyonForBo = '7f000003-3333-4333-8333-000000000003'

describe('travel.search_user_travel', () => {
  let running: Running
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const search = async (input: Input, now = Date.parse('2026-06-01T00:00:00Z')) =>
    (await runSkill(searchUserTravel, input, { settings: running.settings, egress: loopbackEgress, now }))
      .output
  const found = async (input: Input, now?: number) =>
    (await search(input, now)).trips.map(({ trip_uuid, role }) => `${trip_uuid} ${role}`)
  const sentQuery = () =>
    Object.fromEntries(new URL(running.requests[1]?.path ?? '', 'http://sandbox').searchParams)

  describe('knows whether someone travels', () => {
    const ana = 'ana@example.com'
    const rows: readonly (readonly [at: string, trips: readonly string[]])[] = [
      ['2026-01-19T07:59:59Z', []],
      ['2026-01-19T08:00:00Z', [london]],
      ['2026-01-22T00:00:00Z', [london]],
      ['2026-01-25T17:50:00Z', [london]],
      ['2026-01-25T17:50:01Z', []],
      ['2026-01-26T09:00:00Z', [lyon]],
      ['2026-02-20T00:00:00Z', []],
    ]
    for (const [at, trips] of rows) {
      it(`at ${at}: ${trips.length > 0}`, async () => {
        expect(await found({ email: ana, at })).to.deep.equal(trips.map((trip) => `${trip} traveler`))
      })
    }

    it('now, by default', async () => {
      expect(await found({ email: ana }, Date.parse('2026-01-22T00:00:00Z'))).to.have.length(1)
      expect(await found({ email: ana }, Date.parse('2026-01-31T00:00:00Z'))).to.deep.equal([])
    })
  })

  it('finds the trips within a time span in order of travel', async () => {
    const span = { from: '2026-01-24T00:00:00Z', to: '2026-01-27T09:00:00Z' }
    expect(await found({ email: 'ANA@example.com', ...span })).to.deep.equal([
      `${london} traveler`,
      `${lyon} traveler`,
    ])
    expect(
      await found({ email: 'ana@example.com', to: '2026-01-27T09:00:00Z' }, Date.parse(span.from)),
    ).to.have.length(2)
    expect(await found({ email: 'ana@example.com', from: span.from }, Date.parse(span.to))).to.have.length(2)
  })

  it('omits bookings made for others by default', async () => {
    const span = { from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z' }
    expect(await found({ email: 'cy@example.com', ...span })).to.deep.equal([])
    expect(await found({ email: 'cy@example.com', ...span, role: 'any' })).to.deep.equal([`${london} booker`])
    expect(await found({ email: 'ana@example.com', ...span, role: 'any' })).to.deep.equal([
      `${london} traveler`,
      `${lyon} traveler`,
      `${lyonForBo} booker`,
    ])
    expect(await found({ email: 'bo@example.com', ...span })).to.deep.equal([
      `${lyon} both`,
      `${lyonForBo} traveler`,
    ])
  })

  it('finds bookings under another address of the same person by id', async () => {
    const input = { email: 'ana.example@example.com', at: '2026-01-22T00:00:00Z' }
    expect(await found(input)).to.deep.equal([])
    const user_id = '00000001-1111-4111-8111-000000000001'
    expect(await found({ ...input, user_id })).to.deep.equal([`${london} traveler`])
  })

  it('omits cancelled bookings by default', async () => {
    const input: Input = { email: 'ana@example.com', at: '2026-01-22T00:00:00Z' }
    running.controls.cancel('b0000002-2222-4222-8222-000000000002')
    expect((await search(input)).trips[0]).to.deep.include({ status: 'confirmed', country: 'GB' })
    running.controls.cancel('b0000001-2222-4222-8222-000000000001')
    expect(await found(input)).to.deep.equal([])
    const [trip] = (await search({ ...input, include_cancelled: true })).trips
    expect(trip).to.deep.include({ status: 'cancelled', country: 'GB' })
    expect(trip?.bookings.map(({ cancelled }) => cancelled)).to.deep.equal([true, true, true])
  })

  it('sees a trip booked in the meantime', async () => {
    const input: Input = { email: 'cy@example.com', at: '2026-03-01T00:00:00Z' }
    expect(await found(input)).to.deep.equal([])
    running.controls.book({
      uuid: 'b-new',
      created: '2026-02-01T00:00:00Z',
      startDate: '2026-02-28',
      endDate: '2026-03-02',
      bookingType: 'HOTEL',
      bookingStatus: 'CONFIRMED',
      destination: { country: 'Czechia' },
      passengers: [{ person: { email: 'Cy@Example.com' } }],
    })
    expect((await search(input)).trips).to.deep.equal([
      {
        trip_uuid: null,
        name: null,
        status: 'confirmed',
        role: 'traveler',
        starts_at: '2026-02-28T00:00:00.000Z',
        ends_at: '2026-03-03T00:00:00.000Z',
        country: 'CZ',
        city: null,
        countries: ['CZ'],
        bookings: [
          {
            uuid: 'b-new',
            type: 'HOTEL',
            status: 'CONFIRMED',
            cancelled: false,
            vendor: null,
            booking_id: null,
            confirmation_number: null,
            start_date: '2026-02-28',
            end_date: '2026-03-02',
            booker: null,
            travelers: [{ uuid: null, name: null, email: 'Cy@Example.com', employee_id: null }],
            origin: null,
            destination: { country: 'CZ', city: null, airport_code: null },
            trip_uuids: [],
            trip_name: null,
          },
        ],
      },
    ])
  })

  it('reads bookings that begin around the time, regardless of when they were made', async () => {
    await search({ email: 'ana@example.com', at: '2026-01-22T00:00:00Z', longest_trip_days: 10 })
    const seconds = (text: string) => String(Date.parse(`${text}Z`) / 1000)
    expect(sentQuery()).to.deep.equal({
      createdFrom: seconds('2024-12-07T00:00:00'),
      createdTo: seconds('2026-06-01T00:00:00'),
      startDateFrom: seconds('2026-01-11T00:00:00'),
      startDateTo: seconds('2026-02-02T00:00:00'),
      page: '0',
      size: '100',
    })
  })

  it('joins an outward and a return trip that were booked separately', async () => {
    for (const [uuid, day] of [
      ['b-out', '2026-04-01'],
      ['b-back', '2026-04-20'],
    ] as const) {
      running.controls.book({
        uuid,
        created: '2026-02-01T00:00:00Z',
        startDate: day,
        endDate: day,
        bookingType: 'FLIGHT',
        bookingStatus: 'TICKETED',
        tripUuids: ['t'],
        passengers: [{ person: { email: 'cy@example.com' } }],
      })
    }
    expect(await found({ email: 'cy@example.com', at: '2026-04-10T00:00:00Z' })).to.deep.equal(['t traveler'])
  })

  it('omits and counts trips without a known time', async () => {
    const passengers = [{ person: { email: 'a@example.com' } }]
    const { output } = await runSkill(
      searchUserTravel,
      { email: 'a@example.com' },
      { settings, token, replies: [{ json: { data: [{ uuid: 'a', passengers }] } }] },
    )
    expect(output).to.deep.equal({
      trips: [],
      counts: { trips: 0, undated: 1, read: 1, total: null },
      partial: false,
    })
  })

  it('reports if there were too many bookings to read', async () => {
    const full = (page: number) => Array.from({ length: 100 }, (_, index) => ({ uuid: `${page}-${index}` }))
    const { output } = await runSkill(
      searchUserTravel,
      { email: 'a@example.com' },
      {
        settings,
        token,
        replies: ({ url }) => ({ json: { data: full(Number(new URL(url).searchParams.get('page'))) } }),
      },
    )
    expect(output).to.deep.include({
      partial: true,
      counts: { trips: 0, undated: 0, read: 10_000, total: null },
    })
  })

  it('refuses at together with from or to and sends nothing', async () => {
    const at = '2026-01-22T00:00:00Z'
    const error: unknown = await search({ email: 'ana@example.com', at, from: at }).catch(
      (reason: unknown) => reason,
    )
    expect(valueAt(error, 'code')).to.equal('invalid_time')
    expect(running.requests).to.have.length(0)
  })
})

describe('searchWindow', () => {
  const now = Date.parse('2026-01-21T12:00:00Z')
  const span = (input: WindowInput) => {
    const { fromMs, toMs } = searchWindow(input, now)
    return [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' ')
  }

  it('spans a day around now or the given time', () => {
    expect(span({})).to.equal('2026-01-20T12:00 2026-01-22T12:00')
    expect(span({ at: '2025-01-21T12:00:00+01:00' })).to.equal('2025-01-20T11:00 2025-01-22T11:00')
  })

  it('always has an end', () => {
    expect(span({ from: '2026-01-01T00:00:00Z' })).to.equal('2026-01-01T00:00 2026-01-21T12:00')
    expect(span({ to: '2026-03-01T00:00:00Z' })).to.equal('2026-01-21T12:00 2026-03-01T00:00')
    expect(span({ from: '2026-03-01T00:00:00Z' })).to.equal('2026-03-01T00:00 2026-03-01T00:00')
    expect(span({ to: '2026-01-01T00:00:00Z' })).to.equal('2026-01-01T00:00 2026-01-01T00:00')
  })

  it('refuses a span that ends before it starts', () => {
    expect(() => searchWindow({ from: '2026-03-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, now)).to.throw(
      /ends before it starts/,
    )
  })
})
