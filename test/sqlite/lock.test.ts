import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { expectRejection } from '../contract/fixture.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killChildren, startChild } from './child-process.ts'
import { openStoresIn } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'

describe('the lock of a data directory', function () {
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
  })
  afterEach(async () => {
    killChildren()
    await folder.remove()
  })

  it('refuses a second process, names the first, and ends with kill -9', async () => {
    const child = startChild('hold-data-dir', [folder.path])
    await child.hasPrinted(1)
    const error = await expectRejection(openStoresIn(folder.path), 'ConflictError', 'data_dir_in_use')
    expect(error.message).to.include(String(child.process.pid)).and.include(folder.path)
    expect(error.hint).to.include('TOCSIN_DATA_DIR')
    child.process.kill('SIGKILL')
    await child.ended
    const stores = await openStoresIn(folder.path)
    await stores.probe()
    await stores.close()
  })

  it('reports a disk error and leaves no lock', async () => {
    // A folder in place of the file, so that SQLite cannot start, as on a full disk.
    await mkdir(join(folder.path, 'tocsin.lock-journal'))
    const error = await expectRejection(openStoresIn(folder.path), 'UnavailableError', 'store_unavailable')
    expect(error.hint).to.include('disk')
    await rmdir(join(folder.path, 'tocsin.lock-journal'))
    await mkdir(join(folder.path, 'tocsin.pid'))
    expect(await openStoresIn(folder.path).catch((reason: NodeJS.ErrnoException) => reason.code)).to.equal(
      'EISDIR',
    )
    await rmdir(join(folder.path, 'tocsin.pid'))
    await (await openStoresIn(folder.path)).close()
  })

  it('lets a command share the data, which the holder sees at once', async () => {
    const holder = await openStoresIn(folder.path)
    const command = await openStoresIn(folder.path, { claim: 'shared' })
    const secretHash = new Uint8Array(32)
    const key = {
      id: 'k',
      name: 'x',
      role: 'admin',
      organizationUuids: null,
      secretHash,
      expiresAt: null,
    } as const
    await command.keys.create(key, somebody())
    expect((await holder.keys.find('k'))?.key.name).to.equal('x')
    await command.close()
    await expectRejection(openStoresIn(folder.path), 'ConflictError', 'data_dir_in_use')
    await holder.probe()
    await holder.close()
  })

  it('is not held by a command, nor by stores that failed to open or were closed', async () => {
    const command = await openStoresIn(folder.path, { claim: 'shared' })
    const holder = await openStoresIn(folder.path)
    await holder.close()
    await command.close()
    const again = await openStoresIn(folder.path)
    await again.close()
  })
})
