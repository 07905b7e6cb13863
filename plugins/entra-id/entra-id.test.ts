import { expect } from 'chai'
import { openDeclaredPlugin, type CannedReply, type FailureSeen } from 'tocsin/plugin/testing'

const settings = {
  tenant_id: 'example.com',
  client_id: '00000000-0000-4000-8000-000000000001',
  client_secret: 'a-client-secret',
}
const entra = await openDeclaredPlugin(import.meta.dirname, settings)

const user = '0a9c1f6e-3d52-4b7a-9c1e-6f2d8b4a7c10'
const group = '7d1b2c3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e'
const refused = (status: number, code: string, message = 'no') => ({
  status,
  json: { error: { code, message, innererror: { innererror: { date: null } } } },
})
const noToken = (code: number): CannedReply => ({
  status: 401,
  json: { error: 'invalid_client', error_description: `AADSTS${code}: no`, error_codes: [code] },
})
const list = (value: unknown, more: object = {}): CannedReply => ({ json: { value, ...more } })
const filterOf = (url = '') => new URL(url).searchParams.get('$filter')

describe('entra_id', () => {
  describe('reports errors with a hint for the operator', () => {
    const tokens: readonly (readonly [number, RegExp])[] = [
      [7000215, /AADSTS7000215.*enter its value, not its ID/],
      [7000222, /secret has expired/],
      [700016, /no such app.*the cloud/],
      [90002, /no such tenant in this cloud/],
      [50034, /check the credentials of connection/],
    ]
    for (const [code, text] of tokens)
      it(`a token refused with ${code}`, async () => {
        const failure = await entra.checkFailureOf([noToken(code)])
        expect(failure).to.include({ kind: 'ConnectionError', code: 'token_refused' })
        expect(failure.text).to.match(text)
      })

    const answers: readonly (readonly [string, CannedReply, Partial<FailureSeen>, RegExp])[] = [
      [
        'a token of another cloud',
        refused(401, 'InvalidAuthenticationToken'),
        { kind: 'ConnectionError' },
        /the cloud is that of the tenant/,
      ],
      [
        'a missing permission or role',
        refused(403, 'Authorization_RequestDenied', 'Insufficient privileges'),
        { kind: 'ConnectionError' },
        /Insufficient privileges.*admin consent.*Entra role/,
      ],
      [
        'a missing licence',
        refused(403, 'Authentication_RequestFromNonPremiumTenantOrB2CTenant'),
        { kind: 'SkillError' },
        /licence of Entra ID P1 or P2/,
      ],
      [
        'a used-up limit',
        { ...refused(429, 'TooManyRequests'), headers: { 'retry-after': '17' } },
        { kind: 'RetryableError', retryAfterMs: 17_000 },
        /used up its limit/,
      ],
      [
        'maintenance',
        { status: 503, text: '<html><title>Down for maintenance</title></html>' },
        { kind: 'RetryableError' },
        /Down for maintenance/,
      ],
      [
        'a sign-in page',
        { text: '<html>Sign in</html>' },
        { kind: 'SkillError', code: 'bad_response' },
        /JSON/,
      ],
    ]
    for (const [what, reply, seen, text] of answers)
      it(what, async () => {
        const replies = [reply, { json: { access_token: 'fresh', expires_in: 3599 } }, reply]
        const failure = await entra.failureOf('list_sign_ins', { user }, { replies })
        expect(failure).to.include(seen)
        expect(failure.text).to.match(text)
      })
  })

  const clouds = [
    ['global', 'login.microsoftonline.com', 'graph.microsoft.com'],
    ['us_gov_high', 'login.microsoftonline.us', 'graph.microsoft.us'],
    ['us_gov_dod', 'login.microsoftonline.us', 'dod-graph.microsoft.us'],
    ['china', 'login.chinacloudapi.cn', 'microsoftgraph.chinacloudapi.cn'],
  ] as const
  for (const [cloud, login, graph] of clouds)
    it(`keeps to the hosts of the cloud ${cloud}`, async () => {
      const national = await openDeclaredPlugin(import.meta.dirname, { ...settings, cloud })
      const { requests } = await national.check([
        { json: { access_token: 'fresh', expires_in: 3599, ext_expires_in: 3599 } },
        list([{ id: user }]),
      ])
      expect(requests.map(({ url }) => url.split('?')[0])).to.deep.equal([
        `https://${login}/example.com/oauth2/v2.0/token`,
        `https://${graph}/v1.0/users`,
      ])
      expect(new URLSearchParams(requests[0]?.body).get('scope')).to.equal(`https://${graph}/.default`)
      const added = await national.run(
        'add_group_member',
        { group_id: group, user_id: user },
        { replies: [{ status: 204 }] },
      )
      expect(JSON.parse(added.requests[0]!.body)).to.deep.equal({
        '@odata.id': `https://${graph}/v1.0/directoryObjects/${user}`,
      })
    })

  describe('remove_group_member', () => {
    const input = { group_id: group, user_id: user }

    it('deletes the reference, never the user', async () => {
      const { requests } = await entra.run('remove_group_member', input, { replies: [{ status: 204 }] })
      expect(requests[0]).to.include({
        method: 'DELETE',
        path: `/v1.0/groups/${group}/members/${user}/$ref`,
      })
    })

    it('takes nothing but an object ID', async () => {
      for (const bad of ['', '..', '$ref', `${user}?`, `${user}/../..`, 'kim@example.com'])
        expect(await entra.failureOf('remove_group_member', { ...input, user_id: bad })).to.include({
          code: 'value_invalid',
        })
    })
  })

  describe('users', () => {
    it('encodes guests, and refuses ids that change the path', async () => {
      const { requests } = await entra.run(
        'get_user',
        { user: "o'neil_contoso.com#EXT#@example.onmicrosoft.com" },
        { replies: [{ json: { id: user, accountEnabled: null, onPremisesSyncEnabled: null } }] },
      )
      expect(requests[0]?.path).to.match(/^\/v1\.0\/users\/o'neil_contoso\.com%23EXT%23%40example/)
      for (const bad of ['me', '$count', 'a@b/manager', 'a@b?x', '..', ''])
        expect(await entra.failureOf('disable_user', { user: bad })).to.include({ code: 'value_invalid' })
    })

    it('doubles quotes in filters, and leaves out the domain of an account name', async () => {
      const value = "EXAMPLE\\x' or accountEnabled eq true or mail eq '"
      const { requests } = await entra.run('find_users', { by: 'name', value }, { replies: [list([])] })
      const inner = "x'' or accountEnabled eq true or mail eq ''"
      expect(filterOf(requests[0]?.url)).to.equal(
        `userPrincipalName eq '${inner}' or onPremisesSamAccountName eq '${inner}' or mailNickname eq '${inner}'`,
      )
      const risk = await entra.run(
        'get_user_risk',
        { kind: 'user', value: "o'neil" },
        { replies: [list([])] },
      )
      expect(filterOf(risk.requests[0]?.url)).to.equal("userPrincipalName eq 'o''neil'")
    })

    it('has no score for hidden risk and levels that it does not know', async () => {
      for (const riskLevel of ['hidden', 'unknownFutureValue', null]) {
        const replies = [list([{ id: user, riskLevel, riskState: 'atRisk' }])]
        const { output } = await entra.run(
          'get_user_risk',
          { kind: 'user', value: 'a@example.com' },
          { replies },
        )
        expect(output['risk']).to.deep.equal({ score: null, reasons: [] })
      }
    })
  })

  describe('list_sign_ins', () => {
    const page = (from: number, count: number, next?: string): CannedReply =>
      list(
        Array.from({ length: count }, (_, at) => ({ id: `s${from + at}`, status: null, deviceDetail: null })),
        next === undefined ? {} : { '@odata.nextLink': next },
      )
    const nextAt = (host: string) => `https://${host}/v1.0/auditLogs/signIns?$skiptoken=a%2Bb`

    it('stops at the limit, also with short and empty pages', async () => {
      const replies = [
        page(0, 3, nextAt('graph.microsoft.com')),
        page(3, 0, nextAt('graph.microsoft.com') + '2'),
      ]
      const { output, requests } = await entra.run(
        'list_sign_ins',
        { limit: 10 },
        { replies: [...replies, page(3, 9_997)] },
      )
      expect(output).to.include({ complete: false })
      expect(output['sign_ins']).to.have.length(10)
      expect(requests[1]?.path).to.equal('/v1.0/auditLogs/signIns?$skiptoken=a%2Bb')
    })

    it('takes its token to no other host', async () => {
      const replies = [page(0, 3, nextAt('graph.evil.example'))]
      const failure = await entra.failureOf('list_sign_ins', {}, { replies })
      expect(failure.text).to.match(/evil\.example/)
    })
  })

  describe('interrupted writes', () => {
    const gone = { status: 502 }
    it('are unknown until the account is read', async () => {
      expect(await entra.failureOf('disable_user', { user }, { replies: [gone] })).not.to.include({
        effect: 'none',
      })
      const verify = async (accountEnabled: unknown) =>
        (
          await entra.run(
            'disable_user',
            { user },
            { purpose: 'verify', replies: [{ json: { accountEnabled } }] },
          )
        ).output
      expect(await verify(false)).to.deep.equal({ user, enabled: false })
      expect(await verify(true)).to.equal(undefined)
      const missing = { purpose: 'verify', replies: [{ json: {} }] } as const
      expect(await entra.failureOf('disable_user', { user }, missing)).to.include({ code: 'bad_response' })
    })

    it('know a user without risk record', async () => {
      const replies = [refused(404, 'ResourceNotFound')]
      const { output } = await entra.run(
        'confirm_user_compromised',
        { user_id: user },
        { purpose: 'verify', replies },
      )
      expect(output).to.equal(undefined)
    })

    it('did nothing for a user who is a member already', async () => {
      const message =
        "One or more added object references already exist for the following modified properties: 'members'."
      const replies = [refused(400, 'Request_BadRequest', message)]
      const failure = await entra.failureOf(
        'add_group_member',
        { group_id: group, user_id: user },
        { replies },
      )
      expect(failure).to.include({ kind: 'SkillError', effect: 'none' })
      expect(failure.text).to.match(/already a member/)
    })
  })
})
