import { expect } from 'chai'
import { parsePostgresAddress, showAddress } from '../../server/postgres/driver/address.ts'

describe('addresses of PostgreSQL', () => {
  it('have a user, a password, a host, a port and a database', () => {
    const { hosts, user, password, database, schema } = parsePostgresAddress(
      'postgres://eve:s%40f%3Ae@db.example:6432/tocsin',
    )
    expect({ hosts, user, password, database, schema }).to.deep.equal({
      hosts: [{ host: 'db.example', port: 6432 }],
      user: 'eve',
      password: 's@f:e',
      database: 'tocsin',
      schema: 'public',
    })
  })

  it('may name several servers, sockets and IPv6 addresses', () => {
    const { hosts } = parsePostgresAddress('postgresql://eve@a,b:5433,[2001:db8::1]:5434,%2Frun%2Fpg/tocsin')
    expect(hosts).to.deep.equal([
      { host: 'a', port: 5432 },
      { host: 'b', port: 5433 },
      { host: '2001:db8::1', port: 5434 },
      { host: '/run/pg', port: 5432 },
    ])
  })

  it('lead other machines to TLS with a checked certificate, unless they say otherwise', () => {
    const remote = { host: 'db.example', port: 5432 }
    const tls = (text: string, host = remote) => parsePostgresAddress(text).tls(host)
    expect(tls('postgres://e@db.example/t')).to.deep.equal({})
    expect(tls('postgres://e@db.example/t?sslmode=disable')).to.equal(undefined)
    expect(tls('postgres://e@db.example/t', { host: '127.0.0.1', port: 5432 })).to.equal(undefined)
    expect(
      tls('postgres://e@db.example/t?sslmode=verify-full', { host: 'localhost', port: 1 }),
    ).to.deep.equal({})
    expect(tls('postgres://e@db.example/t', { host: '/run/pg', port: 5432 })).to.equal(undefined)
  })

  const refused: Readonly<Record<string, string>> = {
    'postgres://db.example/t': 'has no user',
    'postgres://eve:secret@db.example': 'has no database',
    'postgres://eve:secret@db.example/t?sslmod=disable': "unknown parameter 'sslmod'",
    'postgres://eve:secret@db.example/t?sslmode=require': "sslmode is 'require'",
    'postgres://eve:secret@db.example/t?sslmode=verify-ca': 'needs sslrootcert',
    'postgres://eve:secret@db.example/t?target_session_attrs=any': "target_session_attrs is 'any'",
    'postgres://eve:secret@db.example:99999/t': 'invalid host',
    'postgres://eve:secret%@db.example/t': 'percent-encoding',
    'postgres://eve:secret@db.example/t?sslrootcert=/none': 'cannot read the file of sslrootcert',
    'postgres:eve:secret@db.example': 'expected an address such as',
  }
  for (const [text, message] of Object.entries(refused)) {
    it(`refuse ${text}, without showing the password`, () => {
      const parse = () => parsePostgresAddress(text)
      expect(parse).to.throw(message).with.property('code', 'store_address_invalid')
      expect(parse).not.to.throw(/secret/)
    })
  }

  it('are refused with a hint about what is wrong', () => {
    const hintOf = (text: string): unknown => {
      try {
        return parsePostgresAddress(text)
      } catch (error) {
        return (error as { readonly hint?: string }).hint
      }
    }
    expect(hintOf('postgres://eve:s/cret@db/t')).to.include('%2F')
    expect(hintOf('postgres://eve@db/t?sslmode=require')).to.include('verify-full')
    expect(hintOf('postgres://eve@db/t?connect_timeout=3')).to.include('Remove it')
    expect(hintOf('postgres://eve@db/t?sslrootcert=/none')).to.include('Correct the path')
  })

  it('are shown without user and password', () => {
    const shown = showAddress(parsePostgresAddress('postgres://eve:secret@a,%2Frun%2Fpg:1/tocsin?schema=x'))
    expect(shown).to.equal("a:5432, /run/pg/.s.PGSQL.1, database 'tocsin'")
  })
})
