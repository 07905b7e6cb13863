import { createHash, randomBytes } from 'node:crypto'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ConflictError, UnavailableError } from '../../core/errors/errors.ts'
import { findPlaybookFiles } from '../../core/playbook/read/find-files.ts'
import type {
  FileWrite,
  FolderFile,
  FolderState,
  PlaybookFiles,
} from '../../core/publishing/playbook-files.ts'
import { gitState } from './git-state.ts'

/** Largest file that is read, in bytes; larger than any source that the API accepts. */
const maxBytes = 4_000_000

/** The playbooks folder on the disk. */
export const playbookFilesIn = (folder: string): PlaybookFiles => ({
  folder,
  read: () => readFolder(folder),
  state: () => folderState(folder),
  readOne: (path) => readFile(path).catch(() => undefined),
  write: writeFiles,
})

/** Undefined: there is no such folder. */
async function pathsIn(folder: string): Promise<readonly string[] | undefined> {
  return findPlaybookFiles(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
}

async function readFolder(folder: string): Promise<readonly FolderFile[]> {
  const read: FolderFile[] = []
  // One at a time: thousands of open files could exceed the limit of the process.
  for (const path of (await pathsIn(folder)) ?? []) read.push({ path, source: await readSource(path) })
  return read
}

async function readSource(path: string): Promise<FolderFile['source']> {
  try {
    const { size } = await stat(path)
    if (size > maxBytes) return { unreadable: `it has ${size} bytes, at most ${maxBytes} are allowed` }
    return await readFile(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { unreadable: code ?? message }
  }
}

async function folderState(folder: string): Promise<FolderState> {
  const git = await gitState(folder)
  const paths = await pathsIn(folder)
  const fingerprint = createHash('sha256')
  for (const path of paths ?? []) {
    const info = await stat(path).catch(() => undefined)
    // The time of the last change of the inode shows changes that keep size and modification time.
    const { dev, ino, size, mtimeMs, ctimeMs, mode } = info ?? {}
    fingerprint.update(JSON.stringify([path, dev, ino, size, mtimeMs, ctimeMs, mode]))
  }
  return { ...git, fingerprint: fingerprint.digest('hex'), exists: paths !== undefined }
}

/** Writes all contents beside their files first, so that a full disk changes no file. */
async function writeFiles(writes: readonly FileWrite[]): Promise<void> {
  const written: { readonly path: string; readonly beside: string }[] = []
  let path = ''
  try {
    for (const { path: target, source } of writes) {
      path = target
      if (source === null) continue
      // Files whose name starts with a dot are not playbooks.
      const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`)
      written.push({ path, beside })
      await writeFile(beside, source)
    }
    for (const each of written) {
      ;({ path } = each)
      await rename(each.beside, path)
    }
    for (const { path: target, source } of writes) {
      path = target
      if (source === null) await rm(path, { force: true })
    }
    for (const folder of new Set(writes.map((each) => dirname(each.path)))) await syncFolder(folder)
  } catch (error) {
    for (const { beside } of written) await rm(beside, { force: true }).catch(() => undefined)
    throw asRefusal(error, path)
  }
}

async function writeFile(path: string, source: string): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    await file.writeFile(source)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const readOnly: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'])

function asRefusal(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (readOnly.has(code)) {
    return new ConflictError(
      'playbooks_read_only',
      `the playbook cannot be written to ${path} (${String(code)})`,
      {
        hint: 'change it at the source of the playbooks folder, such as your repository, or give Tocsin write access to the folder',
        cause: error,
      },
    )
  }
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EIO')
    return new UnavailableError('storage_failed', `the playbook could not be written (${code})`, {
      hint: 'check the disk of the playbooks folder',
      retryAfterMs: 30_000,
      cause: error,
    })
  return error
}
