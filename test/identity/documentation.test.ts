import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { readConfig } from '../../server/config/config.ts'

describe('docs/single-sign-on.md', () => {
  it('has examples that the configuration accepts', async () => {
    const page = await readFile(new URL('../../docs/single-sign-on.md', import.meta.url), 'utf8')
    const examples = [...page.matchAll(/```sh\n([^`]+)```/g)].map(([, text = '']) =>
      Object.fromEntries(
        [...text.matchAll(/export (\w+)=(?:'([^']*)'|(\S+))/g)].map(([, name, quoted, bare]) => [
          name,
          quoted ?? bare,
        ]),
      ),
    )
    const given = { TOCSIN_PUBLIC_URL: 'https://tocsin.example.com', TOCSIN_OIDC_CLIENT_ID: 'tocsin' }
    const issuers = examples.map((example) => {
      const { oidc, warnings } = readConfig({ ...given, ...example })
      expect(warnings).to.deep.equal([])
      expect(oidc?.roles).to.not.deep.equal([])
      return new URL(oidc?.issuer ?? '').host
    })
    expect(issuers).to.deep.equal([
      'login.example.com',
      'login.microsoftonline.com',
      'example.okta.com',
      'keycloak.example.com',
      'accounts.google.com',
    ])
  })
})
