import { expect } from 'chai'
import { extractFromJson, extractObservables } from './extract-observables.ts'
import { maxInputDepth, maxPlaces } from './observables.ts'

const users = (value: unknown) => extractFromJson(value).user
const hosts = (value: unknown) => extractFromJson(value).host

const line = (user: string) =>
  `<134>Jan 12 10:00:00 fw1 app: ${JSON.stringify({ user, ip: '1.1.1.1' })} from 8.8.8.8`

describe('indicators: places', () => {
  it('are escaped JSON pointers, in order, at most ten', () => {
    const { all } = extractFromJson({ 'a/b~c': ['1.1.1.1', { d: 'x 1.1.1.1' }] })
    expect(all).to.deep.equal([{ kind: 'ip', value: '1.1.1.1', places: ['/a~1b~0c/0', '/a~1b~0c/1/d'] }])
    expect(extractFromJson(Array.from({ length: 20 }, () => '1.1.1.1')).all[0]?.places).to.have.lengthOf(
      maxPlaces,
    )
  })

  it('are the root for text, and point into text that is JSON', () => {
    expect(extractObservables('from 1.1.1.1').all[0]?.places).to.deep.equal([''])
    expect(extractObservables(' {"ip":"1.1.1.1"}\n').all[0]?.places).to.deep.equal(['/ip'])
    expect(extractObservables('"from 1.1.1.1"').all[0]?.places).to.deep.equal([''])
  })

  it('end at the string for JSON inside a string', () => {
    const nested = JSON.stringify({ user: 'ana', raw: JSON.stringify(['1.1.1.1']) })
    const { all } = extractFromJson({ data: { payload: nested } })
    expect(all).to.deep.equal([
      { kind: 'user', value: 'ana', places: ['/data/payload'] },
      { kind: 'ip', value: '1.1.1.1', places: ['/data/payload'] },
    ])
  })

  it('end at the text for JSON in log lines', () => {
    const one = extractObservables(line('ana'))
    expect(one).to.deep.include({ user: ['ana'], ip: ['1.1.1.1', '8.8.8.8'], host: [] })
    expect(new Set(one.all.flatMap((found) => found.places))).to.deep.equal(new Set(['']))
    const lines = extractFromJson({ raw: `${line('ana')}\nnot {json}\n${line('bo')}` })
    expect(lines).to.deep.include({ user: ['ana', 'bo'], ip: ['1.1.1.1', '8.8.8.8'] })
    expect(lines.all[0]?.places).to.deep.equal(['/raw'])
    expect(extractObservables('{"user":"ana"}\n{"user":"bo"}\n').user).to.deep.equal(['ana', 'bo'])
  })

  it('include keys that are an IP address, hash or e-mail address, but not other keys with a dot', () => {
    const { all } = extractFromJson({
      '1.1.1.1': 4,
      'A@b.com': 1,
      '44d88612fea8a8f36de82e1278abb02f': 2,
      'user.name': 3,
    })
    expect(all.map(({ value, places }) => [value, places[0]])).to.have.deep.members([
      ['1.1.1.1', '/1.1.1.1'],
      ['a@b.com', '/A@b.com'],
      ['44d88612fea8a8f36de82e1278abb02f', '/44d88612fea8a8f36de82e1278abb02f'],
    ])
  })
})

describe('indicators: users', () => {
  it('come from user keys, in every spelling', () => {
    for (const key of [
      'user',
      'username',
      'user_name',
      'userName',
      'User Name',
      'TargetUserName',
      'user.name',
      'loginName',
      'actor',
    ]) {
      expect(users({ [key]: 'ana.k' }), key).to.deep.equal(['ana.k'])
    }
    expect(users({ userPrincipalName: 'Ana@Example.com', user_id: 'bo@example.com' })).to.deep.equal([
      'ana@example.com',
      'bo@example.com',
    ])
  })

  it('come from the enclosing object', () => {
    expect(users({ user: { name: 'ana', id: '17' } })).to.deep.equal(['ana'])
    expect(
      users({ actor: { alternateId: 'ana@example.com', displayName: 'Ana K', type: 'User' } }),
    ).to.deep.equal(['ana@example.com'])
    expect(users({ Type: 'account', Name: 'ana', UPNSuffix: 'example.com' })).to.deep.equal([
      'ana@example.com',
    ])
    expect(users([{ Key: 'TargetUserName', ValueString: 'ana' }])).to.deep.equal(['ana'])
    expect(users({ AccountName: 'ana', AccountDomain: 'corp' })).to.deep.equal(['ana'])
  })

  it('come from keys inside log lines and from resource names', () => {
    expect(
      extractObservables('CEF:0|V|P|1|2|N|7|suser=ana duser="CORP\\bo" requestContext=x').user,
    ).to.deep.equal(['ana', 'CORP\\bo'])
    expect(extractObservables('by arn:aws:sts::123456789012:assumed-role/Admin/ana.').user).to.deep.equal([
      'ana',
    ])
  })

  it('are unique regardless of letter case, in their first spelling', () => {
    expect(users([{ user: 'CORP\\Ana' }, { user: 'corp\\ana' }])).to.deep.equal(['CORP\\Ana'])
  })

  it('are not prose, ids, placeholders, roles, display names or cloud accounts', () => {
    expect(users({ message: 'user ana logged on as root', title: 'Ana' })).to.deep.equal([])
    expect(
      users({ user: 'Unknown', username: 'a46cd58f-8882-4c28-94a5-f67ffe21d073', user_id: '1270063' }),
    ).to.deep.equal([])
    expect(
      users({ UserSid: 'S-1-5-21-1', user: 'S-1-5-21-1', sub_user: 'google-oauth2|1052' }),
    ).to.deep.equal([])
    expect(users({ sessionIssuer: { type: 'Role', userName: 'AdminRole' } })).to.deep.equal([])
    expect(users({ user: { name: 'Ana K', email: 'ana@example.com' } })).to.deep.equal(['ana@example.com'])
    expect(users({ cloud_account_name: 'prod', accountName: 'Default' })).to.deep.equal([])
  })
})

describe('indicators: hosts', () => {
  it('come from host keys, in lower case', () => {
    for (const key of [
      'hostname',
      'host_name',
      'host.name',
      'computer_name',
      'Computer',
      'device_name',
      'DeviceName',
      'computerDnsName',
    ]) {
      expect(hosts({ [key]: 'WS-7' }), key).to.deep.equal(['ws-7'])
    }
    expect(hosts({ host: { name: 'WS-7' }, source_username: 'CORP\\WS-8$' })).to.deep.equal(['ws-7', 'ws-8'])
  })

  it('are domains too if the key may name any server, but not if it names a machine', () => {
    const found = extractFromJson({
      hostname: 'evil.com',
      computerDnsName: 'ws7.example.com',
      http_host: 'cdn.evil.com',
    })
    expect(found.host).to.deep.equal(['evil.com', 'ws7.example.com'])
    expect(found.domain).to.deep.equal(['evil.com', 'cdn.evil.com'])
  })

  it('are IP addresses if they look like one', () => {
    const found = extractFromJson({ dst_host: '8.8.8.8' })
    expect(found.host).to.deep.equal([])
    expect(found.ip).to.deep.equal(['8.8.8.8'])
  })

  it('are not prose, ids or placeholders', () => {
    expect(
      hosts({
        message: 'host web01 is down',
        host_name: 'hostname',
        hostname: '29ef78b5-32f9-4086-9c0c-fde4e28bda0e',
      }),
    ).to.deep.equal([])
  })
})

describe('indicators: key context', () => {
  it('accepts any domain under a domain key', () => {
    expect(extractFromJson({ domain: 'iam.googleapis.com', link_domain: ['evil.zip'] }).domain).to.deep.equal(
      ['iam.googleapis.com', 'evil.zip'],
    )
  })

  it("ignores links into the product's own console", () => {
    const links = {
      _links: { self: { href: 'https://siem.example.com/1' } },
      alert_url: 'https://siem.example.com/2',
      results_link: 'https://siem.example.com/3',
    }
    expect(extractFromJson(links).all).to.deep.equal([])
    expect(
      extractFromJson({ url: 'https://evil.com/1', clicked_link: 'https://evil.com/2' }).url,
    ).to.have.lengthOf(2)
  })

  it('treats every name as data', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"user":"eve"},"constructor":{"user":"mal"},"toString":"1.1.1.1","hasOwnProperty":"8.8.8.8"}',
    ) as unknown
    const found = extractFromJson(hostile)
    expect(found.user).to.deep.equal(['eve', 'mal'])
    expect(found.ip).to.deep.equal(['1.1.1.1', '8.8.8.8'])
    expect(({} as Record<string, unknown>)['user']).to.equal(undefined)
  })

  it('accepts any JSON value', () => {
    for (const value of [null, true, 7, '', [], {}]) expect(extractFromJson(value).all).to.deep.equal([])
  })
})

const nest = (depth: number) => JSON.parse(`${'['.repeat(depth)}"1.1.1.1"${']'.repeat(depth)}`) as unknown

describe('indicators: limits', () => {
  it('keep the first values of each kind and report truncated kinds', () => {
    const found = extractObservables('1.1.1.1 1.1.1.2 1.1.1.3 1.1.1.1 a@b.com', { maxPerKind: 2 })
    expect(found.ip).to.deep.equal(['1.1.1.1', '1.1.1.2'])
    expect(found.cut).to.deep.equal(['ip'])
    expect(extractObservables('1.1.1.1 1.1.1.2 1.1.1.1', { maxPerKind: 2 }).cut).to.deep.equal([])
  })

  it('bound the nesting depth and report it', () => {
    expect(extractFromJson(nest(maxInputDepth))).to.deep.include({ ip: ['1.1.1.1'], cut: [] })
    expect(extractFromJson(nest(maxInputDepth + 1))).to.deep.include({ ip: [], cut: ['depth'] })
  })

  it('bound the depth of nested documents and read deeper ones as text', () => {
    let text = 'from 1.1.1.1'
    for (let level = 0; level < 8; level++) text = JSON.stringify({ raw: text })
    expect(extractObservables(text).ip).to.deep.equal(['1.1.1.1'])
  })

  it('bound the text to two million characters and report it', () => {
    const found = extractObservables(`first.example ${'x '.repeat(1_500_000)} last.example`)
    expect(found.domain).to.deep.equal(['first.example'])
    expect(found.cut).to.deep.equal(['input'])
    const many = extractFromJson([...Array.from({ length: 250_000 }, () => 'x'), '1.1.1.1'])
    expect(many).to.deep.include({ ip: [], cut: ['input'] })
  })
})
