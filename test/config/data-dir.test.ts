import { expect } from 'chai'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ForbiddenError } from '../../core/errors/errors.ts'
import { readConfig } from '../../server/config/config.ts'
import { makeDataDirPrivate } from '../../server/config/data-dir.ts'
import { openStores } from '../../server/store/open-stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('the data directory', () => {
  let folder: TemporaryFolder
  let dataDir: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    dataDir = join(folder.path, 'deep', 'data')
  })
  afterEach(() => folder.remove())

  /** Opens and closes stores there, and returns the modes of all files while they are open. */
  async function modesWhileOpen(): Promise<Record<string, string>> {
    const stores = await openStores(readConfig({ TOCSIN_DATA_DIR: dataDir }), 'exclusive')
    await stores.probe()
    const names = await readdir(dataDir)
    const modes = await Promise.all(
      names.map(async (name) => [name, await modeOf(join(dataDir, name))] as const),
    )
    await stores.close()
    return { '.': await modeOf(dataDir), ...Object.fromEntries(modes) }
  }

  const isPrivate = (modes: Record<string, string>) => {
    expect(Object.keys(modes)).to.include.members([
      'tocsin.db',
      'tocsin.db-wal',
      'tocsin.db-shm',
      'master.key',
    ])
    const { '.': own, ...files } = modes
    expect(own).to.equal('700')
    for (const [name, mode] of Object.entries(files)) expect(mode, name).to.equal('600')
  }

  it('is created for its owner only, regardless of the umask, with all files in it', async () => {
    const umask = process.umask(0)
    try {
      isPrivate(await modesWhileOpen())
    } finally {
      process.umask(umask)
    }
  })

  it('is closed to others with all existing files if it was open', async () => {
    await modesWhileOpen()
    await chmod(dataDir, 0o755)
    for (const name of await readdir(dataDir))
      if (name.startsWith('tocsin.')) await chmod(join(dataDir, name), 0o644)
    isPrivate(await modesWhileOpen())
  })

  it('is closed to others if it exists empty or is the root of a file system', async () => {
    await mkdir(join(dataDir, 'lost+found'), { recursive: true })
    await chmod(dataDir, 0o777)
    makeDataDirPrivate(dataDir)
    expect(await modeOf(dataDir)).to.equal('700')
  })

  it('is refused unchanged if others can enter it and it has foreign files', async () => {
    await mkdir(dataDir, { recursive: true })
    await chmod(dataDir, 0o750)
    await writeFile(join(dataDir, 'report.txt'), 'x')
    expect(() => makeDataDirPrivate(dataDir)).to.throw(
      ForbiddenError,
      /open to other users .* is not a file of Tocsin/,
    )
    expect(await modeOf(dataDir)).to.equal('750')
    await chmod(dataDir, 0o700)
    makeDataDirPrivate(dataDir)
  })
})
