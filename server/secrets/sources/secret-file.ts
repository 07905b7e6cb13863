import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { Unresolved, unavailable } from './unresolved.ts'

const maxBytes = 65_536
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a secret from a file below a folder. Symbolic links are followed within the folder, as Kubernetes mounts secrets: each name leads
 * to `..data`, which is replaced as a whole.
 */
export async function readFileBelow(folder: string, path: readonly string[]): Promise<string> {
  const shown = path.join('/')
  const [root, real] = await Promise.all([realpath(folder), realpath(join(folder, ...path))]).catch(
    (error: unknown) => {
      throw fileError(shown, error)
    },
  )
  if (!real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
    throw new Unresolved(
      `the file '${shown}' leads outside its folder`,
      'put the file itself into the folder, without a link to another one',
    )
  return await readSecretFile(real, shown)
}

/** The text of a file, without one line break at its end, which editors and `echo` add. */
export async function readSecretFile(path: string, shown = path): Promise<string> {
  // Without O_NONBLOCK, opening a pipe never ends.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
  const file = await open(path, flags).catch((error: unknown) => {
    throw fileError(shown, error)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Unresolved(`'${shown}' is not a file`, 'name a file with the secret alone')
    if (stats.size > maxBytes)
      throw new Unresolved(
        `the file '${shown}' has more than ${maxBytes} bytes`,
        'put the secret alone into a file',
      )
    const bytes = await file.readFile()
    return withoutLineBreak(decoded(bytes, shown))
  } finally {
    await file.close()
  }
}

const withoutLineBreak = (text: string): string => text.replace(/\r?\n$/, '')

function decoded(bytes: Uint8Array, shown: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Unresolved(`the file '${shown}' is not UTF-8 text`, 'put the secret into it as text')
  }
}

function fileError(shown: string, error: unknown): Unresolved {
  const { code = 'no code' } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new Unresolved(
      `there is no file '${shown}'`,
      'correct the reference, or ask the operator to mount the file',
    )
  if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP')
    return new Unresolved(
      `the file '${shown}' cannot be opened (${code})`,
      'make it readable for the user of the server',
    )
  return unavailable(
    `the file '${shown}' cannot be read (${code})`,
    'check the file system of the mounted secrets',
  )
}
