import { open, stat, type FileHandle } from 'node:fs/promises'
import { lineOf, type Destination } from './destination.ts'
import type { FileTarget } from './settings.ts'

/**
 * Appends lines of JSON and flushes them to disk. Log rotation may rename or delete the file at any time: the
 * next batch goes to a new file.
 */
export function fileDestination({ path }: FileTarget): Destination {
  let file: FileHandle | undefined

  async function letGo(): Promise<void> {
    const before = file
    file = undefined
    await before?.close()
  }

  async function current(): Promise<FileHandle> {
    if (file !== undefined && !(await isStillAt(path, file))) await letGo()
    file ??= await openForLines(path)
    return file
  }

  return {
    async check() {
      await current()
    },
    async send(entries) {
      try {
        const handle = await current()
        await handle.appendFile(entries.map((entry) => `${lineOf(entry)}\n`).join(''))
        await handle.datasync()
      } catch (error) {
        // A line may be written in part: reopen the file before the next one.
        await letGo().catch(() => undefined)
        throw error
      }
    },
    close: letGo,
  }
}

async function isStillAt(path: string, file: FileHandle): Promise<boolean> {
  const [there, ours] = await Promise.all([
    stat(path, { bigint: true }).catch(() => undefined),
    file.stat({ bigint: true }),
  ])
  return there !== undefined && there.ino === ours.ino && there.dev === ours.dev
}

/** Readable by its owner only. Ends a line that a crash cut off, so that the next one is complete. */
async function openForLines(path: string): Promise<FileHandle> {
  const file = await open(path, 'a+', 0o600)
  try {
    const info = await file.stat()
    if (!info.isFile()) throw new Error(`${path} is not a file`)
    if (info.size > 0) {
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, info.size - 1)
      if (buffer[0] !== 0x0a) await file.appendFile('\n')
    }
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
