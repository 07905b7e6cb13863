import { expect } from 'chai'
import { rateBudget } from './rate.ts'
import { rateCounter } from './sandbox/rate-counter.ts'

const id = '3f0c9a1b7d2e48569c0fb1a2d3e4f5061728394a'
const usual = [
  { requests: 100, perMs: 60_000 },
  { requests: 1500, perMs: 3_600_000 },
]

describe('the rate limit of endpoint_security', () => {
  for (const [method, path, bucket, limits] of [
    ['GET', '/api/alerts', 'GET alerts', usual],
    ['GET', '/api/alerts/da638723441200000001_-1402177365', 'GET alerts', usual],
    ['GET', `/api/machines/${id}/logonusers`, 'GET machines logonusers', usual],
    ['POST', `/api/machines/${id}/isolate`, 'POST machines isolate', usual],
    [
      'GET',
      '/api/vulnerabilities/machinesVulnerabilities',
      'GET vulnerabilities machinesVulnerabilities',
      usual,
    ],
    [
      'POST',
      `/API/machines/${id}/runliveresponse`,
      'POST machines runliveresponse',
      [{ requests: 10, perMs: 60_000 }],
    ],
    [
      'POST',
      '/api/advancedqueries/run',
      'POST advancedqueries run',
      [
        { requests: 45, perMs: 60_000 },
        { requests: 1500, perMs: 3_600_000 },
      ],
    ],
    [
      'GET',
      '/api/machineactions/a-1/getPackageUri',
      'GET machineactions getPackageUri',
      [
        { requests: 2, perMs: 60_000 },
        { requests: 120, perMs: 3_600_000 },
      ],
    ],
    [
      'GET',
      '/api/machineactions/a-1/GetLiveResponseResultDownloadLink(index=3)',
      'GET machineactions GetLiveResponseResultDownloadLink',
      usual,
    ],
  ] as const) {
    it(`of ${method} ${path} is that of its group`, () => {
      expect(rateBudget({ method, path })).to.deep.equal({ bucket, limits })
    })
  }

  it('does not create buckets from alert content', () => {
    const buckets = ['abc', 'isolated', 'x'].map(
      (name) => rateBudget({ method: 'GET', path: `/api/alerts/${name}` })?.bucket,
    )
    expect(new Set(buckets)).to.deep.equal(new Set(['GET alerts']))
  })

  for (const route of [
    'GET /api/alerts',
    'POST /api/machines/:id/isolate',
    'POST /API/machines/:id/runliveresponse',
    'POST /api/advancedqueries/run',
    'GET /api/machineactions/:id/getPackageUri',
    'GET /api/machineactions/:id',
  ]) {
    it(`stays below the limit of the sandbox for ${route} at full speed`, () => {
      const [method = '', path = ''] = route.split(' ')
      const { limits = [] } = rateBudget({ method, path: path.replace(':id', id) }) ?? {}
      let now = 0
      const refuse = rateCounter(() => now)
      const sent: number[] = []
      const most = Math.max(...limits.map(({ requests }) => requests))
      while (sent.length < most + 5) {
        const free = limits.map(({ requests, perMs }) => (sent.at(-requests) ?? -Infinity) + perMs)
        now = Math.max(now, ...free)
        expect(refuse(route), `request ${sent.length + 1}`).to.equal(undefined)
        sent.push(now)
      }
    })
  }

  it('does not count token requests', () => {
    expect(
      rateBudget({ method: 'POST', path: 'https://login.microsoftonline.com/t/oauth2/v2.0/token' }),
    ).to.equal(undefined)
  })
})
