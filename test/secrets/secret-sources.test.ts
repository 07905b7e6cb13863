import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { parseReference } from '../../core/skill/connection/secret-reference.ts'
import { readConfig } from '../../server/config/config.ts'
import { createSecretSources } from '../../server/secrets/sources/secret-sources.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('secrets of an organization', () => {
  const environment = {
    ACME_INTEL_KEY: 'canary-of-acme',
    GLOBEX_KEY: 'canary-of-globex',
    SHARED_KEY: 'canary-of-all',
    TOCSIN_MASTER_KEY: 'canary-master-key',
  }
  let folder: TemporaryFolder
  let seen: string[]

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    seen = []
    mkdirSync(join(folder.path, 'secrets/acme/deep'), { recursive: true })
    mkdirSync(join(folder.path, 'secrets/globex'), { recursive: true })
  })
  afterEach(() => folder.remove())

  function read(text: string, organization = 'ACME', more: Record<string, string> = {}) {
    const config = readConfig({
      TOCSIN_DATA_DIR: join(folder.path, 'data'),
      TOCSIN_SECRET_VARIABLES: 'acme=ACME_*; globex=GLOBEX_KEY; *=SHARED_KEY',
      TOCSIN_SECRETS_DIR: join(folder.path, 'secrets/{organization}'),
      ...more,
    })
    const source = createSecretSources({
      settings: config.secrets,
      environment,
      codeOf: async (uuid) => uuid,
      vault: { read: async (path, key) => `canary ${path.join('/')} ${key}` },
      onSecret: (text) => seen.push(text),
    })
    return source.read(organization, parseReference(text)!, { signal: AbortSignal.timeout(30_000) })
  }
  const value = async (...given: Parameters<typeof read>) => (await read(...given)).reveal()
  const write = (name: string, content: string | Uint8Array) =>
    writeFileSync(join(folder.path, 'secrets', name), content)

  async function refused(...given: Parameters<typeof read>): Promise<string> {
    const error = (await read(...given).then(
      () => new Error('it was read'),
      (thrown: unknown) => thrown,
    )) as Error & { code?: string; details?: unknown }
    expect(error, error.message).to.include({ code: 'secret_unresolved' })
    expect(error.details, 'nothing was sent to the other system').to.deep.equal({ effect: 'none' })
    expect(error.message + inspect(error)).to.not.include('canary')
    expect(error.message).to.include(given[0])
    return error.message
  }

  describe('in variables', () => {
    it('are those that the operator allows this organization', async () => {
      expect(await value('env:ACME_INTEL_KEY')).to.equal('canary-of-acme')
      expect(await value('env:GLOBEX_KEY', 'globex')).to.equal('canary-of-globex')
      expect(await value('env:SHARED_KEY', 'initech')).to.equal('canary-of-all')
      expect(seen).to.deep.equal(['canary-of-acme', 'canary-of-globex', 'canary-of-all'])
    })

    it('are no others, and no answer tells whether there is one', async () => {
      const messages = [
        await refused('env:GLOBEX_KEY'),
        await refused('env:SHARED_KEY'),
        await refused('env:ACME_INTEL_KEY', 'globex'),
        await refused('env:ACME_NONE'),
        await refused('env:TOCSIN_MASTER_KEY'),
        await refused('env:PATH'),
        await refused('env:SHARED_KEY', 'initech', { TOCSIN_SECRET_VARIABLES: '' }),
      ]
      const why = new Set(messages.map((message) => message.replace(/env:\w+/, '')))
      expect([...why]).to.deep.equal([
        'cannot read the secret : the server has no such variable for this organization',
      ])
    })
  })

  describe('in files', () => {
    it('lose one line break at their end, and nothing else', async () => {
      for (const [content, text] of [
        ['canary-1\n', 'canary-1'],
        ['canary-2\r\n', 'canary-2'],
        ['canary-3', 'canary-3'],
        [' canary\nof lines\n\n', ' canary\nof lines\n'],
      ] as const) {
        write('acme/key', content)
        expect(await value('file:key')).to.equal(text)
      }
    })

    it('are read as Kubernetes mounts and replaces them', async () => {
      const at = (name: string) => join(folder.path, 'secrets/acme', name)
      const put = (version: string, content: string) => {
        mkdirSync(at(version))
        writeFileSync(at(`${version}/token`), content)
        symlinkSync(version, at('..data_tmp'))
        renameSync(at('..data_tmp'), at('..data'))
      }
      put('..2026_01', 'canary-first')
      symlinkSync('..data/token', at('token'))
      expect(await value('file:token')).to.equal('canary-first')
      put('..2026_02', 'canary-second')
      expect(await value('file:token'), 'at the next use').to.equal('canary-second')
    })

    it('are those in the folder of the organization alone', async () => {
      write('globex/key', 'canary-of-globex')
      writeFileSync(join(folder.path, 'outside'), 'canary-outside')
      for (const [name, to] of [
        ['link', '../globex/key'],
        ['far', join(folder.path, 'outside')],
        ['deep/up', '../../../outside'],
      ] as const) {
        symlinkSync(to, join(folder.path, 'secrets/acme', name))
        expect(await refused(`file:${name}`)).to.match(/leads outside its folder$/)
      }
      for (const text of [
        'file:../globex/key',
        'file:/etc/passwd',
        'file:deep/../../globex/key',
        'file:a//b',
        'file:.',
      ])
        expect(parseReference(text), text).to.equal(undefined)
    })

    it('are refused when they are no text, too large, too short, a folder or a pipe', async () => {
      write('acme/bytes', Uint8Array.of(255, 254, 0, 1, 2, 3, 4, 5, 6))
      expect(await refused('file:bytes')).to.match(/is not UTF-8 text$/)
      write('acme/large', 'canary'.padEnd(65_537, 'x'))
      expect(await refused('file:large')).to.match(/has more than 65536 bytes$/)
      write('acme/short', 'canary\n')
      expect(await refused('file:short')).to.match(/fewer than 8 characters/)
      expect(await refused('file:deep')).to.match(/is not a file$/)
      expect(await refused('file:none')).to.match(/there is no file 'none'$/)
      if (process.platform === 'win32') return
      const pipe = join(folder.path, 'secrets/acme/pipe')
      execFileSync('mkfifo', [pipe])
      expect(await refused('file:pipe')).to.match(/is not a file$/)
      unlinkSync(pipe)
    })
  })

  it('in Vault are those below the path of the organization', async () => {
    const vault = { TOCSIN_VAULT_ADDRESS: 'https://vault.example.com', TOCSIN_VAULT_TOKEN: 'a-token' }
    expect(await value('vault:intel/eu#api_key', 'ACME', vault)).to.equal(
      'canary tocsin/acme/intel/eu api_key',
    )
    expect(await refused('vault:intel#api_key')).to.match(/secrets from Vault are not configured$/)
    for (const text of [
      'vault:../globex/intel#key',
      'vault:intel',
      'vault:intel#',
      'vault:/intel#a',
      'vault:a.#b',
      'vault:a%2fb#c',
    ])
      expect(parseReference(text), text).to.equal(undefined)
  })
})
