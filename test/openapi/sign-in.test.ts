import { expect } from 'chai'
import { join } from 'node:path'
import { modulesAt, tryPlugin } from '../../cli/plugins/try-plugin.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { answering, documentWith, generated, loadFrom } from './support.ts'

/** A document whose API needs a token from this address. */
const withTokens = (tokenUrl: string) =>
  documentWith(
    answering({ type: 'object', properties: { name: { type: 'string' } } }, { example: { name: 'a thing' } }),
    {
      components: {
        securitySchemes: {
          login: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } },
        },
      },
      security: [{ login: [] }],
    },
  )

describe('a connection from a document with OAuth', () => {
  it('fetches tokens below the address of the API, or at another that is a field', async () => {
    const { connection } = generated(withTokens('https://api.things.example/oauth/token')).plugin
    expect(connection['auth'].oauth2.token).to.equal('/oauth/token')
    expect(connection).not.to.have.property('other_origins')
    const { connection: other } = generated(withTokens('https://login.things.example/oauth/token')).plugin
    expect(other['auth'].oauth2.token).to.equal('${{ settings.login_url }}/oauth/token')
    expect(other['other_origins']).to.deep.equal(['${{ settings.login_url }}'])
    expect(other['fields'].login_url.default).to.equal('https://login.things.example')
  })

  it('passes the tests of every plugin with a token from another address', async () => {
    const temporary = await makeTemporaryFolder()
    try {
      const folder = join(temporary.path, 'example')
      loadFrom(folder, generated(withTokens('https://login.things.example/oauth/token')))
      const { passed, failures } = await tryPlugin(modulesAt([folder])[0]!)
      expect(failures.map(({ test, message }) => `${test}: ${message.split('\n')[0]}`)).to.deep.equal([])
      expect(passed).to.be.above(8)
    } finally {
      await temporary.remove()
    }
  })
})
