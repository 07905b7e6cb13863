import { expect } from 'chai'
import { SkillError, valueAt, type AnySkill, type JsonObject } from 'tocsin/plugin'
import { loopbackEgress, runSkill, type CannedReply, type ServedSandbox } from 'tocsin/plugin/testing'
import { malwareOnWorkstation } from './examples/alert.ts'
import { server, workstation } from './examples/machine.ts'
import { readList } from './lists/read-list.ts'
import sandbox, { settingsFor } from './sandbox.ts'
import { clients } from './sandbox/data/clients.ts'
import { endpointFaults } from './sandbox/faults.ts'
import { recorded } from './sandbox/data/fixture.ts'
import type { Controls } from './sandbox/commands.ts'
import { getAlert } from './skills/get-alert.ts'
import { getMachine } from './skills/get-machine.ts'
import { listAlerts } from './skills/list-alerts.ts'
import { listIndicators } from './skills/list-indicators.ts'
import { listMachineLogonUsers } from './skills/list-machine-logon-users.ts'
import { listMachines } from './skills/list-machines.ts'
import { listMachinesVulnerabilities } from './skills/list-machines-vulnerabilities.ts'
import { listRecommendations } from './skills/list-recommendations.ts'
import { listVulnerabilities } from './skills/list-vulnerabilities.ts'

const caught = async (work: Promise<unknown>): Promise<object> =>
  work.then(
    () => ({ code: 'none' }),
    (error: unknown) => error as object,
  )

describe('the lists of endpoint_security', () => {
  let running: ServedSandbox<Controls>
  beforeEach(async () => {
    running = await sandbox.start()
  })
  afterEach(() => running.close())

  async function call(skill: AnySkill, input: object, settings: object = running.settings): Promise<unknown> {
    const { output } = await runSkill(skill, input, { settings: { ...settings }, egress: loopbackEgress })
    return output
  }
  /** Path and query of all calls except the token call, decoded. */
  const asked = () => running.requests.slice(1).map(({ path }) => decodeURIComponent(path))
  const ids = (output: unknown, name: string) =>
    (valueAt(output, name) as readonly JsonObject[]).map((record) => record['id'])

  it('ask for alerts with evidence, by the vendor’s names', async () => {
    const output = await call(listAlerts, {
      severity: ['High'],
      status: ['New', 'InProgress'],
      lastUpdateTime: { ge: '2026-01-12T09:00:00+01:00' },
    })
    expect(asked()).to.deep.equal([
      "/api/alerts?$expand=evidence&$filter=severity eq 'High' and (status eq 'New' or status eq 'InProgress') and " +
        'lastUpdateTime ge 2026-01-12T08:00:00.000Z&$top=101',
    ])
    expect(output).to.deep.equal({ alerts: [malwareOnWorkstation], truncated: false, unreadable: 0 })
  })

  it('return recorded alerts unchanged', async () => {
    const id = 'da637472900382838869_1364969609'
    const output = await call(listAlerts, { id })
    const [alert] = valueAt(output, 'alerts') as readonly JsonObject[]
    expect(alert).to.deep.include(recorded('alerts-list-expand-evidence')[0])
  })

  it('filter machines by name, tag and state', async () => {
    expect(
      ids(await call(listMachines, { computerDnsName: 'laptop-7.example.com' }), 'machines'),
    ).to.have.length(2)
    expect(
      ids(
        await call(listMachines, { computerDnsName: 'laptop-7.example.com', healthStatus: ['Active'] }),
        'machines',
      ),
    ).to.have.length(1)
    expect(ids(await call(listMachines, { machineTags: "Kim's" }), 'machines')).to.have.length(1)
    expect(ids(await call(listMachines, { id: [server.id, workstation.id] }), 'machines')).to.have.members([
      server.id,
      workstation.id,
    ])
    expect(ids(await call(listMachines, { computerDnsName: "x' or id ne '" }), 'machines')).to.deep.equal([])
  })

  it('return vulnerabilities, findings and recommendations', async () => {
    expect(ids(await call(listVulnerabilities, { cvssV3: { ge: 5 } }), 'vulnerabilities')).to.deep.equal([
      'CVE-2021-12345',
      'CVE-2021-44228',
    ])
    expect(
      ids(
        await call(listMachinesVulnerabilities, { machineId: '7a704e17d1c2977c0e7b665fb18ae6e1fe7f3283' }),
        'findings',
      ),
    ).to.have.length(1)
    expect(
      ids(await call(listRecommendations, { severityScore: { gt: 7, le: 7.5 } }), 'recommendations'),
    ).to.deep.equal(['rec-123'])
  })

  it('return indicators, and only own ones if the permission allows no more', async () => {
    expect(ids(await call(listIndicators, {}), 'indicators')).to.deep.equal(['995', '996', 'indicator-123'])
    const wanted = { indicatorType: ['IpAddress'], action: ['Alert'] }
    expect(ids(await call(listIndicators, wanted), 'indicators')).to.deep.equal(['995'])
    const own = settingsFor(running.url, clients.indicators)
    expect(ids(await call(listIndicators, {}, own), 'indicators')).to.deep.equal([])
  })

  it('pass hostile text through unchanged', async () => {
    const [alert] = valueAt(
      await call(listAlerts, { category: 'InitialAccess' }),
      'alerts',
    ) as readonly JsonObject[]
    expect(alert?.['title']).to.equal(
      "Sign-in by '; drop table x -- ${{ secrets }} <script>alert(1)</script>",
    )
  })

  it('report that there is more', async () => {
    expect(await call(listMachines, { limit: 2 })).to.have.property('truncated', true)
    expect(await call(listMachines, { limit: 9 })).to.have.property('truncated', false)
    expect(await call(listMachines, { limit: 8 })).to.have.property('truncated', true)
  })

  it('return the users of a machine, regardless of the letter case of its id', async () => {
    const output = await call(listMachineLogonUsers, { id: server.id.toUpperCase() })
    expect(ids(output, 'users')).to.deep.equal(['example\\kim', 'example\\adm-lee'])
  })

  for (const [about, skill, input] of [
    ['alert', getAlert, { id: 'da1_-2' }],
    ['machine', getMachine, { id: '0'.repeat(40) }],
    ['machine to list its users', listMachineLogonUsers, { id: '0'.repeat(40) }],
  ] as const) {
    it(`fail if there is no such ${about}`, async () => {
      expect(await caught(call(skill, input))).to.include({ name: 'SkillError', code: 'resource_not_found' })
    })
  }

  for (const [skill, input] of [
    [getAlert, { id: '../machines' }],
    [getAlert, { id: 'a/b' }],
    [getMachine, { id: 'desk-042.example.com' }],
    [listMachineLogonUsers, { id: `${workstation.id}/../x` }],
    [listAlerts, { severity: ['Hihg'] }],
    [listAlerts, { $filter: "id eq 'x'" }],
    [listAlerts, { lastUpdateTime: { ge: 'yesterday' } }],
  ] as const) {
    it(`send nothing for ${skill.name} ${JSON.stringify(input)}`, async () => {
      expect(await caught(call(skill, input))).to.include({ name: 'ValidationError', code: 'value_invalid' })
      expect(running.requests).to.have.length(0)
    })
  }

  describe('pages', () => {
    const settings = () => running.settings
    const read = async (pageSize: number, limit: number, replies?: readonly (readonly string[])[]) => {
      const probe: AnySkill = {
        ...listMachines,
        run: async (_input: unknown, { http }) => {
          const listed = await readList(http, {
            path: '/api/machines',
            needs: ['Machine.Read.All'],
            decode: (record) => ({ id: String(valueAt(record, 'id')) }),
            limit,
            pageSize,
          })
          return { machines: [], truncated: listed.truncated, read: listed.items.map(({ id }) => id) }
        },
        output: { type: 'object', additionalProperties: true },
      }
      const { output, requests } = await runSkill(
        probe,
        {},
        {
          settings: settings(),
          ...(replies === undefined
            ? { egress: loopbackEgress }
            : { replies: replies.map((page) => ({ json: { value: page.map((id) => ({ id })) } })) }),
        },
      )
      return { output: output as JsonObject, requests }
    }

    it('are requested by $top and $skip, never by the returned links', async () => {
      const { output } = await read(4, 100)
      expect(output['read']).to.have.length(9)
      expect(asked()).to.deep.equal([
        '/api/machines?$top=4',
        '/api/machines?$top=4&$skip=4',
        '/api/machines?$top=4&$skip=8',
      ])
    })

    it('have no duplicates', async () => {
      const { output } = await read(2, 100, [['a', 'b'], ['b', 'c'], ['d']])
      expect(output).to.deep.include({ read: ['a', 'b', 'c', 'd'], truncated: false })
    })

    const linked = (ids: readonly string[], nextLink?: string) => ({
      json: { value: ids.map((id) => ({ id })), '@odata.nextLink': nextLink },
    })
    const link = 'https://sandbox.example/api/machines?$skip=1'
    const machinesOf = async (...replies: readonly CannedReply[]) => {
      const options = { settings: settings(), replies }
      const { output, requests } = await runSkill(listMachines, {}, options)
      return { ids: ids(output, 'machines'), ...output, paths: requests.map(({ path }) => path) }
    }

    it('report more results if a short page has a link', async () => {
      const all = await machinesOf(linked(['a', 'b'], link), linked(['c']))
      expect(all).to.deep.include({ ids: ['a', 'b', 'c'], truncated: false })
      expect(all.paths[1]).to.match(/skip=2/)
      const cut = await machinesOf(linked(['a', 'b'], link), linked([], link))
      expect(cut).to.deep.include({ ids: ['a', 'b'], truncated: true })
    })

    it('report a partial list if the vendor counts more than it returns', async () => {
      const counted = (count: number) => ({ json: { value: [{ id: 'a' }], '@odata.count': count } })
      expect(await machinesOf(counted(1))).to.deep.include({ ids: ['a'], truncated: false })
      expect(await machinesOf(counted(4))).to.deep.include({ ids: ['a'], truncated: true })
      const users = async (more: object) => {
        const replies = [{ json: { value: [{ id: 'example\\\\kim' }], ...more } }]
        return (
          await runSkill(listMachineLogonUsers, { id: workstation.id }, { settings: settings(), replies })
        ).output
      }
      expect(await users({})).to.not.have.property('truncated')
      expect(await users({ '@odata.count': 2 })).to.have.property('truncated', true)
      expect(await users({ '@odata.nextLink': link })).to.have.property('truncated', true)
    })

    it('skip unreadable records and count them', async () => {
      const value = [{ id: 'a' }, { computerDnsName: 'x' }, 'rubbish', { id: 'b' }]
      expect(await machinesOf({ json: { value } })).to.deep.include({
        ids: ['a', 'b'],
        truncated: false,
        unreadable: 2,
        unreadable_why: [
          'cannot read the machine.id in the response: it is missing',
          'a record of the list is not an object',
        ],
      })
    })

    it('ask for 1000 alerts, and for fewer if that is refused', async () => {
      const page = (count: number, from = 0) => ({
        json: { value: Array.from({ length: count }, (_, at) => ({ id: `a${from + at}` })) },
      })
      const huge = new SkillError('response_too_large', 'the answer is larger than 10 MB')
      const replies = [huge, page(250), page(250, 250), page(3, 500)]
      const options = { settings: settings(), replies }
      const { output, requests } = await runSkill(listAlerts, { limit: 10_000 }, options)
      expect(output.alerts).to.have.length(503)
      expect(requests.map(({ path }) => /top=(\d+)/.exec(path)?.[1])).to.deep.equal([
        '1000',
        '250',
        '250',
        '250',
      ])
    })

    it('end if a page has nothing new, and report that the rest is unknown', async () => {
      const { output, requests } = await read(2, 100, [
        ['a', 'b'],
        ['a', 'b'],
      ])
      expect(output).to.deep.include({ read: ['a', 'b'], truncated: true })
      expect(requests).to.have.length(2)
    })
  })

  describe('errors', () => {
    it('treat the vendor’s 404 as an empty list', async () => {
      running.failNext({ json: { token_type: 'Bearer', expires_in: 60, access_token: 'test' } })
      running.failNext({ status: 404, json: { error: { code: 'ResourceNotFound', message: 'No machines' } } })
      expect(await call(listMachines, {})).to.deep.equal({ machines: [], truncated: false, unreadable: 0 })
    })

    const token = { json: { token_type: 'Bearer', expires_in: 60, access_token: 'test' } }
    const rows = [
      [
        'a page of a gateway',
        endpointFaults.foreignNotFound,
        { name: 'SkillError', code: 'http_404' },
        /endpoint_api_url/,
      ],
      ['a sign-in page', endpointFaults.signInPage, { name: 'SkillError', code: 'bad_response' }, undefined],
      ['an empty response', { text: '' }, { name: 'SkillError', code: 'bad_response' }, undefined],
      [
        'a missing list',
        { json: { value: {} } },
        { name: 'SkillError', code: 'bad_response' },
        /endpoint_api_url/,
      ],
      [
        'a record without id',
        { json: { value: [{ title: 'x' }] } },
        { name: 'SkillError', code: 'bad_response' },
        undefined,
      ],
      [
        'a gateway without its system',
        endpointFaults.badGateway,
        { name: 'RetryableError', code: 'http_502' },
        /gateway/,
      ],
      [
        'an error of the service',
        endpointFaults.serverError,
        { name: 'RetryableError', code: 'http_500' },
        /with backoff/,
      ],
      [
        'one without a body',
        endpointFaults.emptyServerError,
        { name: 'RetryableError', code: 'http_500' },
        /with backoff/,
      ],
      [
        'too many requests',
        endpointFaults.tooManyRequests,
        { name: 'RetryableError', code: 'http_429', retryAfterMs: 7000 },
        /after the requested pause/,
      ],
      ['a cut connection', 'reset', { name: 'RetryableError', code: 'network_error' }, undefined],
      ['a malformed response', 'garbage', { name: 'SkillError', code: 'bad_response' }, undefined],
      [
        'a 403 without a body',
        endpointFaults.emptyForbidden,
        { name: 'ConnectionError', code: 'http_403' },
        /Machine\.Read\.All/,
      ],
    ] as const
    for (const [about, fault, error, hint] of rows) {
      it(`of ${about} are ${error.name} ${error.code}`, async () => {
        running.failNext(token)
        running.failNext(fault)
        const found = await caught(call(listMachines, {}))
        expect(found).to.include(error)
        if (hint) expect(valueAt(found, 'hint')).to.match(hint)
      })
    }

    it('contain the vendor’s code, its message on one line, and its request id', async () => {
      running.failNext(token)
      const message = `Invalid filter\r\n\u0000${'x'.repeat(1000)}`
      running.failNext({ status: 400, json: { error: { code: 'ODataError', message, target: 't-1' } } })
      const error = await caught(call(listMachines, {}))
      expect(error).to.include({ name: 'SkillError', code: 'odata_error' })
      expect(valueAt(error, 'message')).to.match(
        /^GET \/api\/machines answered 400 ODataError: Invalid filter x{200,300}…$/,
      )
      expect(valueAt(error, 'details')).to.deep.include({ status: 400, error: 'ODataError', target: 't-1' })
    })

    for (const [skill, input, permission] of [
      [listIndicators, {}, 'Ti.ReadWrite.All or Ti.ReadWrite'],
      [listVulnerabilities, {}, 'Vulnerability.Read.All'],
      [listMachinesVulnerabilities, {}, 'Vulnerability.Read.All'],
      [listRecommendations, {}, 'SecurityRecommendation.Read.All'],
    ] as const) {
      it(`name the permission that ${skill.name} lacks`, async () => {
        const error = await caught(call(skill, input, settingsFor(running.url, clients.reader)))
        expect(error).to.include({ name: 'ConnectionError', code: 'http_403' })
        expect(valueAt(error, 'hint')).to.include(permission).and.include('admin consent')
      })
    }
  })
})
