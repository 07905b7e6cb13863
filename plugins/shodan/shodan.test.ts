import { expect } from 'chai'
import { openDeclaredPlugin, testFailures } from 'tocsin/plugin/testing'

const shodan = await openDeclaredPlugin(import.meta.dirname, { api_key: 'k'.repeat(32) })
const host = { kind: 'ip', value: '198.51.100.7' }

describe('shodan on a bad day', () => {
  testFailures(shodan, 'lookup_host', host, [
    [
      'a wrong key, as a page',
      { status: 401, text: '<html><title>401 Unauthorized</title></html>' },
      'ConnectionError',
      /the API key is wrong/,
    ],
    [
      'spent credits, for which the key is not to blame',
      {
        status: 401,
        json: {
          error:
            'Insufficient query credits, please upgrade your API plan or wait for the monthly limit to reset',
        },
      },
      'SkillError',
      /used up until the first of the month/,
    ],
    [
      'a plan that is too small',
      { status: 403, json: { error: 'Requires membership or higher to access' } },
      'SkillError',
      /plan of the API key does not include/,
    ],
    ['an error in an answer with status 200', { json: { error: 'Invalid IP' } }, 'SkillError', /Invalid IP/],
    [
      'too many requests',
      { status: 429, json: { error: 'Request rate limit reached (1/ second)' } },
      'RetryableError',
      /rate limit/,
    ],
    [
      'a search that takes too long',
      { status: 502, text: '<html><title>Bad Gateway</title></html>' },
      'RetryableError',
      /Bad Gateway/,
    ],
  ])

  it('never shows the key, which is in the address', async () => {
    const failure = await shodan.failureOf('lookup_host', host, { replies: [{ status: 500, text: '' }] })
    expect(failure.text).not.to.contain('kkkk')
  })
})

describe('shodan', () => {
  it('gives a score only for tags of attackers', async () => {
    const riskOf = async (tags: string[]) => {
      const body = { ports: [], hostnames: [], tags, org: null, asn: null }
      return (
        (await shodan.run('lookup_host', host, { replies: [{ json: body }] })).output['risk'] as {
          score: unknown
        }
      ).score
    }
    expect(await riskOf(['cloud', 'brand-new'])).to.equal(null)
    expect(await riskOf(['c2'])).to.equal(80)
  })

  it('finds after an interruption the alert of this step, and no other with the same name', async () => {
    const input = { name: 'Office', networks: ['198.51.100.0/28'] }
    const step = { run: { id: 'run-1' } }
    const sent = await shodan.run('create_alert', input, { ...step, replies: [{ json: { id: 'A' } }] })
    const { name, expires } = JSON.parse(sent.requests[0]!.body) as { name: string; expires: number }
    expect(expires).to.equal(0)
    const verify = async (...alerts: object[]) =>
      (await shodan.run('create_alert', input, { ...step, purpose: 'verify', replies: [{ json: alerts }] }))
        .output
    expect(await verify({ id: 'B', name: 'Office' }, { id: 'A', name })).to.deep.equal({ id: 'A' })
    expect(await verify({ id: 'B', name: 'Office' })).to.equal(undefined)
  })

  it('reads unknown names and addresses as such', async () => {
    const names = await shodan.run(
      'resolve_names',
      { names: ['a.example'] },
      { replies: [{ json: { 'a.example': null } }] },
    )
    expect(names.output).to.deep.equal({ addresses: [{ name: 'a.example' }] })
    const hosts = await shodan.run('find_names', { ips: ['::1'] }, { replies: [{ json: { '::1': null } }] })
    expect(hosts.output).to.deep.equal({ hosts: [{ ip: '::1', names: [] }] })
  })

  it('leaves the outcome of an interrupted scan open', async () => {
    const failure = await shodan.failureOf(
      'scan',
      { addresses: ['198.51.100.7'] },
      { replies: [{ status: 504, text: '' }] },
    )
    expect(failure.effect).to.not.equal('none')
  })

  it('takes the page of a proxy for no success', async () => {
    for (const [skill, input] of [['delete_alert', { id: 'A' }]] as const)
      expect(
        (await shodan.failureOf(skill, input, { replies: [{ text: '<html>Sign in</html>' }] })).code,
      ).to.equal('bad_response')
  })
})
