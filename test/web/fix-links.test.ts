import { expect } from 'chai'
import { fixLinks, missingLinks } from '../../server/web/parts/fix-links.ts'

const links = (code: string, details?: object) =>
  fixLinks({ code, message: '', details: { ...details } }, 'main')

describe('links to what mends an error', () => {
  it('lead to a new connection with plugin, name and organization', () => {
    expect(links('connection_missing', { plugin: 'virustotal', connection: 'vt & co' })).to.deep.equal([
      {
        href: '/connections/new?plugin=virustotal&name=vt+%26+co&organization=main',
        text: 'Create a connection of virustotal',
      },
    ])
  })

  it('offer the plugins of an interface, at most four', () => {
    const plugins = ['a', 'b', 'c', 'd', 'e']
    expect(links('connection_missing', { plugins }).map(({ text }) => text)).to.deep.equal(
      ['a', 'b', 'c', 'd'].map((plugin) => `Create a connection of ${plugin}`),
    )
  })

  it('lead to the connection that is broken or needs a sign-in', () => {
    for (const code of ['connection_broken', 'connection_disabled', 'sign_in_needed'])
      expect(links(code, { connection: 'a/b' })).to.deep.equal([
        { href: '/connections/a%2Fb', text: 'Go to connection a/b' },
      ])
    expect(links('connection_ambiguous', { plugin: 'okta' })).to.deep.equal([
      { href: '/connections?organization=main&plugin=okta', text: 'View connections' },
    ])
  })

  it('are absent for other errors and without usable details', () => {
    expect(links('connection_missing')).to.deep.equal([])
    expect(links('connection_missing', { plugin: 7, plugins: [null] })).to.deep.equal([])
    expect(links('http_404', { plugin: 'okta' })).to.deep.equal([])
  })
})

describe('links to what a problem of a playbook misses', () => {
  it('lead to a new connection of each plugin that fits', () => {
    const missing = { kind: 'connection', name: 'chat', plugins: ['messaging', 'mail'] } as const
    expect(missingLinks(missing, 'main').map(({ href }) => href)).to.deep.equal([
      '/connections/new?plugin=messaging&name=chat&organization=main',
      '/connections/new?plugin=mail&name=chat&organization=main',
    ])
    expect(missingLinks({ kind: 'connection', plugins: ['mail'] })).to.deep.equal([
      { href: '/connections/new?plugin=mail', text: 'Create a connection of mail' },
    ])
  })

  it('lead to the lists of providers and organizations', () => {
    expect(missingLinks({ kind: 'provider', name: 'x' })[0]?.href).to.equal('/providers')
    expect(missingLinks({ kind: 'organization', name: 'x' })[0]?.href).to.equal('/organizations')
  })
})
