import { chmod, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadMasterKey } from '../../server/secrets/master-key.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describe('loadMasterKey', () => {
  let folder: TemporaryFolder
  let file: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    file = join(folder.path, 'data', 'master.key')
  })
  afterEach(() => folder.remove())

  const load = (env: Record<string, string> = {}) => loadMasterKey(join(folder.path, 'data'), env)
  const exported = (env?: Record<string, string>) => load(env).key.export().toString('base64')

  it('creates a key of 32 random bytes at the first start, and finds it again', async () => {
    const made = load()
    expect(made).to.include({ origin: 'made', version: 1 })
    expect(made.key.symmetricKeySize).to.equal(32)
    expect(load().origin).to.equal('file')
    expect(exported()).to.equal(made.key.export().toString('base64'))
    expect((await readFile(file, 'utf8')).trim()).to.equal(exported())
    expect(await readdir(join(folder.path, 'data'))).to.deep.equal(['master.key'])
  })

  it('writes a file that only its owner can read, regardless of the umask', async function () {
    if (process.platform === 'win32') this.skip()
    const before = process.umask(0o000)
    try {
      load()
    } finally {
      process.umask(before)
    }
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect((await stat(join(folder.path, 'data'))).mode & 0o777).to.equal(0o700)
  })

  it('prefers the environment and then creates no file', async () => {
    const key = Buffer.alloc(32, 9).toString('base64')
    expect(load({ TOCSIN_MASTER_KEY: key }).origin).to.equal('environment')
    expect(exported({ TOCSIN_MASTER_KEY: `${key}\n` })).to.equal(key)
    expect(await readdir(folder.path)).to.deep.equal([])
  })

  it('refuses a key of the wrong length or alphabet, without quoting it', () => {
    const short = Buffer.alloc(16, 9).toString('base64')
    for (const [text, found] of [
      [short, '16 bytes'],
      [Buffer.alloc(33, 9).toString('base64'), '33 bytes'],
      ['correct horse battery staple', 'invalid base64'],
      [Buffer.alloc(32, 9).toString('hex'), '48 bytes'],
    ] as const) {
      const attempt = () => load({ TOCSIN_MASTER_KEY: text })
      expect(attempt).to.throw(new RegExp(`TOCSIN_MASTER_KEY must contain 32 bytes.*${found}`))
      expect(attempt).to.throw().that.includes({ code: 'invalid_master_key' })
      expect(attempt)
        .to.throw()
        .that.satisfies((error: Error) => !error.message.includes(text))
    }
  })

  it('refuses a damaged file instead of creating a new one', async () => {
    load()
    await writeFile(file, '')
    expect(load).to.throw(/master\.key must contain 32 bytes.*0 bytes/)
    expect(await readFile(file, 'utf8')).to.equal('')
  })

  it('refuses a file that others can read', async function () {
    if (process.platform === 'win32') this.skip()
    load()
    await chmod(file, 0o640)
    expect(load)
      .to.throw(/mode 640/)
      .that.includes({ code: 'master_key_exposed' })
    expect(load).to.throw().with.property('hint').that.includes('chmod 600')
  })
})
