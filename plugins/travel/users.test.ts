import { expect } from 'chai'
import { objectsAt } from 'tocsin/plugin'
import { loopbackEgress, runSkill } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'
import { travelClients } from './sandbox/clients.ts'
import { travelFixture } from './sandbox/fixture.ts'
import { getUsers } from './skills/get-users.ts'
import { decodePerson } from './person.ts'
import { decodeUser } from './user.ts'

type Input = Parameters<typeof getUsers.run>[0]
type Running = Awaited<ReturnType<typeof sandbox.start>>

describe('travel.get_users', () => {
  let running: Running
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  const get = async (input: Input, more: object = {}) =>
    (await runSkill(getUsers, input, { settings: { ...running.settings, ...more }, egress: loopbackEgress }))
      .output
  const names = async (input: Input) => (await get(input)).users.map(({ name }) => name)

  it('returns every user with all fields in raw', async () => {
    const output = await get({})
    expect(output).to.deep.include({
      unmatched: [],
      counts: { returned: 4, read: 4, total: 4 },
      partial: false,
    })
    expect(output.users.slice(0, 3).map(({ raw }) => raw)).to.deep.equal(
      objectsAt(travelFixture('users-page-0'), 'data'),
    )
    expect(output.users[0]).to.deep.include({
      id: '00000001-1111-4111-8111-000000000001',
      email: 'ana@example.com',
      emails: ['ana@example.com'],
      name: 'Ana Example',
      employee_id: 'E00001',
      active: true,
      manager_email: 'mira.boss@example.com',
      policy_level: 'DEFAULT',
    })
  })

  it('maps travelers and bookers by id and address, and reports unknown users', async () => {
    const output = await get({
      ids: ['00000002-1111-4111-8111-000000000002', 'nobody'],
      emails: ['ANA@example.com', 'guest@example.org'],
    })
    expect(output.users.map(({ name }) => name)).to.deep.equal(['Ana Example', 'Bo Sample'])
    expect(output.unmatched).to.deep.equal(['nobody', 'guest@example.org'])
    expect(output).to.deep.include({ not_returned: [], counts: { returned: 2, read: 4, total: 4 } })
  })

  it('reports active users', async () => {
    expect(await names({ active: false })).to.deep.equal(['Gil Former'])
    expect(await names({ active: true, emails: ['gil@example.com', 'cy@example.com'] })).to.deep.equal([
      'Cy Booker',
    ])
  })

  it('returns nothing for an empty list', async () => {
    expect(await get({ ids: [], emails: [] })).to.deep.equal({
      users: [],
      unmatched: [],
      not_returned: [],
      counts: { returned: 0, read: 0, total: null },
      partial: false,
    })
    expect(running.requests).to.have.length(0)
  })

  it('does not report existing users as unknown because of the limit or `active`', async () => {
    const emails = ['ana@example.com', 'bo@example.com', 'guest@example.org']
    expect(await get({ emails, limit: 1 })).to.deep.include({
      unmatched: ['guest@example.org'],
      not_returned: ['bo@example.com'],
    })
    expect(await get({ emails: ['gil@example.com', 'cy@example.com'], active: true })).to.deep.include({
      unmatched: [],
      not_returned: ['gil@example.com'],
    })
  })

  it('skips a user without an id and reports it', async () => {
    const data = [{ userName: 'x@example.com' }, null, { id: 'a' }]
    const settings = { client_id: 'an-id', client_secret: 'a-secret' }
    const { output } = await runSkill(
      getUsers,
      {},
      {
        settings,
        token: 'a-token-for-tests',
        replies: [{ json: { data } }],
      },
    )
    expect(output.users.map(({ id }) => id)).to.deep.equal(['a'])
    expect(output.partial).to.equal(true)
  })

  it('reports that there are more', async () => {
    expect(await get({ limit: 2 })).to.deep.include({
      partial: true,
      counts: { returned: 2, read: 2, total: 4 },
    })
  })

  it('follows a cursor if the path has one', async () => {
    const output = await get({}, { users_path: '/travel/v1/users' })
    expect(output.users.map(({ name }) => name))
      .to.include('Gil Former')
      .and.have.length(4)
    expect(output).to.deep.include({ partial: false, counts: { returned: 4, read: 4, total: null } })
    expect(running.requests.slice(1).map(({ path }) => path)).to.deep.equal([
      '/travel/v1/users?page=0&size=100',
      '/travel/v1/users?cursor=after-3&page_size=100',
    ])
  })

  it('fails with a hint if the credentials may not read users', async () => {
    const { id, secret } = travelClients.bookingsOnly
    const error: unknown = await get({}, { client_id: id, client_secret: secret }).catch(
      (reason: unknown) => reason,
    )
    expect(error).to.include({ name: 'ConnectionError', code: 'http_403' })
    expect(error)
      .to.have.property('hint')
      .that.matches(/users:read/)
  })
})

describe('decodeUser', () => {
  it('reads a user with only an id', () => {
    expect(decodeUser({ id: 'a' })).to.deep.equal({
      id: 'a',
      email: null,
      emails: [],
      name: null,
      employee_id: null,
      active: null,
      department: null,
      region: null,
      manager_name: null,
      manager_email: null,
      policy_level: null,
      raw: { id: 'a' },
    })
  })

  it('puts the primary address first, each once, and reads an address from the user name', () => {
    const emails = [{ value: 'b@example.com' }, { value: 'A@example.com', primary: true }, null, { value: 7 }]
    expect(decodeUser({ id: 'a', emails, userName: 'a@example.com' })).to.deep.include({
      email: 'A@example.com',
      emails: ['A@example.com', 'b@example.com'],
    })
    expect(decodeUser({ uuid: 'a', userName: 'c@example.com', name: 'Di' })).to.deep.include({
      id: 'a',
      email: 'c@example.com',
      name: 'Di',
    })
    expect(decodeUser({ id: 'a', userName: 'di', active: 'yes' })).to.deep.include({
      emails: [],
      active: null,
    })
  })

  it('accepts a number as id', () => {
    expect(decodeUser({ id: 4711, employeeId: 12 })).to.include({ id: '4711', employee_id: '12' })
    expect(decodePerson({ uuid: 4711, employeeId: 12 })).to.include({ uuid: '4711', employee_id: '12' })
    expect(decodeUser({ id: '', uuid: 0 }).id).to.equal('0')
  })

  it('refuses a user without an id', () => {
    expect(() => decodeUser({ userName: 'a@example.com' })).to.throw(/without an id/)
  })
})
