import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseReference } from '../../core/skill/connection/secret-reference.ts'
import { readConfig } from '../../server/config/config.ts'
import { openSecretSources } from '../../server/secrets/open-secret-sources.ts'

const fixture = (name: string): string => join(import.meta.dirname, '../egress/fixtures', name)

describe('the certificate of Vault', () => {
  const answers: Readonly<Record<string, object>> = {
    '/v1/auth/token/lookup-self': { data: { ttl: 0, num_uses: 0 } },
    '/v1/secret/data/tocsin/acme/intel': { data: { data: { key: 'canary-value' }, metadata: {} } },
  }
  const server = createServer(
    {
      key: readFileSync(fixture('self-signed.key.pem')),
      cert: readFileSync(fixture('self-signed.cert.pem')),
    },
    ({ url = '' }, response) => response.end(JSON.stringify(answers[url] ?? {})),
  )
  before((done) => void server.listen(0, '127.0.0.1', done))
  after((done) => void server.close(done))

  const read = async (env: Record<string, string>) => {
    const { port } = server.address() as AddressInfo
    const config = readConfig({
      TOCSIN_VAULT_ADDRESS: `https://127.0.0.1:${port}`,
      TOCSIN_VAULT_TOKEN: 'a-token',
      ...env,
    })
    const sources = openSecretSources({ config, codeOf: async () => 'acme' })
    try {
      const signal = AbortSignal.timeout(30_000)
      return (await sources.read('acme', parseReference('vault:intel#key')!, { signal })).reveal()
    } catch (error) {
      return (error as { code?: string }).code
    } finally {
      sources.close()
    }
  }

  it('is verified with the authority that the operator names', async () => {
    expect(await read({ TOCSIN_VAULT_CA_FILE: fixture('self-signed.cert.pem') })).to.equal('canary-value')
    expect(await read({})).to.equal('secret_source_unavailable')
  })

  it('needs a file that can be read', async () => {
    const error = await read({ TOCSIN_VAULT_CA_FILE: fixture('none.pem') }).catch((thrown: unknown) => thrown)
    expect(error).to.include({ code: 'config_invalid' })
    expect((error as Error).message).to.match(/^TOCSIN_VAULT_CA_FILE cannot be read: ENOENT/)
  })
})
