import { expect } from 'chai'
import { openDeclaredPlugin, testFailures } from 'tocsin/plugin/testing'

const hibp = await openDeclaredPlugin(import.meta.dirname, { api_key: 'a'.repeat(32) })
const account = { kind: 'email', value: 'kim+test@example.com' }

describe('hibp on a bad day', () => {
  testFailures(hibp, 'get_account_breaches', account, [
    [
      'a wrong key',
      { status: 401, json: { statusCode: 401, message: 'Access denied due to invalid hibp-api-key.' } },
      'ConnectionError',
      /enter the key/,
    ],
    [
      'a wrong key, in plain text',
      { status: 401, text: 'Access denied due to improperly formed hibp-api-key.' },
      'ConnectionError',
      /improperly formed/,
    ],
    [
      'a plan without it',
      { status: 403, json: { message: 'Forbidden' } },
      'SkillError',
      /verify the domain in the dashboard, or choose a plan/,
    ],
    [
      'a block of the network',
      { status: 403, headers: { 'cf-ray': 'x' }, text: '<html><title>Blocked</title></html>' },
      'RetryableError',
      /blocked the request/,
    ],
    [
      'too many requests',
      {
        status: 429,
        headers: { 'retry-after': '4' },
        json: { statusCode: 429, message: 'Rate limit is exceeded. Try again in 4 seconds.' },
      },
      'RetryableError',
      /enter the requests per minute of the plan/,
    ],
    ['a service that is down', { status: 503, text: '' }, 'RetryableError', /503/],
  ])

  it('warns where the plan allows less than was entered', async () => {
    expect((await hibp.check([{ json: { SubscriptionName: 'Core', Rpm: 5 } }])).warning).to.contain('only 5')
    expect((await hibp.check([{ json: { SubscriptionName: 'Core' } }])).warning).to.equal(undefined)
  })
})

describe('hibp', () => {
  const breach = (more: object) => ({ Name: 'A', BreachDate: '2020-01-01', ...more })
  const lookup = async (...breaches: object[]) =>
    (await hibp.run('get_account_breaches', account, { replies: [{ json: breaches }] })).output

  it('encodes the address, and takes 404 for an answer', async () => {
    const { output, requests } = await hibp.run('get_account_breaches', account, {
      replies: [{ status: 404 }],
    })
    expect(requests[0]?.path).to.equal(
      '/api/v3/breachedaccount/kim%2Btest%40example.com?truncateResponse=false',
    )
    expect(output).to.deep.include({ found: false, breaches: [], risk: { score: null, reasons: [] } })
  })

  it('reports exposed passwords only of verified breaches', async () => {
    const leak = { DataClasses: ['Passwords'], IsVerified: true }
    expect(await lookup(breach(leak))).to.include({ passwords_exposed: true })
    for (const more of [{ IsVerified: false }, { IsSpamList: true }, { IsFabricated: true }])
      expect(await lookup(breach({ ...leak, ...more }))).to.include({ passwords_exposed: false })
    expect(await lookup(breach({}))).to.deep.include({ risk: { score: 20, reasons: ['A'] } })
  })

  it('never sends more than five digits of a hash, nor the key with them', async () => {
    const sha1 = `${'0'.repeat(35)}abcde`
    const rows = `${'0'.repeat(30)}ABCDE:7\r\n${'F'.repeat(35)}:0`
    const { output, requests } = await hibp.run(
      'check_password_hash',
      { sha1 },
      { replies: [{ text: rows }] },
    )
    expect(output).to.deep.equal({ count: 7 })
    expect(requests[0]?.url).to.equal('https://api.pwnedpasswords.com/range/00000')
    expect(JSON.stringify(requests)).not.to.contain('aaaa')
    const none = await hibp.run(
      'check_password_hash',
      { sha1: 'f'.repeat(40) },
      { replies: [{ text: rows }] },
    )
    expect(none.output).to.deep.equal({ count: 0 })
  })

  it('reads ten thousand accounts of a domain', async () => {
    const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`user${at}`, ['netflix.com']]))
    const { output } = await hibp.run(
      'list_stealer_log_accounts',
      { domain: 'example.com' },
      { replies: [{ json: body }] },
    )
    expect(output['accounts']).to.have.length(10_000)
  })
})
