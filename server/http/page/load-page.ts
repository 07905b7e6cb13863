import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** One file of the web page, as it is sent. */
export interface PageFile {
  readonly type: string
  readonly etag: string
  readonly bytes: Buffer
  /** Absent where compressing does not make it smaller. */
  readonly br?: Buffer
  readonly gzip?: Buffer
}

/** The web page in memory. */
export interface Page {
  /** HTML with `__nonce__` wherever a response has to put its own, and `__api__` where the API is. */
  readonly index: string
  /** By path, e.g. `/assets/index-B2x9.js`. */
  readonly files: ReadonlyMap<string, PageFile>
}

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * Reads what `npm run page` built, a few hundred files at most. Undefined where it has not been built: the API works without.
 *
 * @throws Error where a file has a kind that the server would not know how to send
 */
export async function loadPage(folder: string): Promise<Page | undefined> {
  let index
  try {
    index = await readFile(join(folder, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((entry) => entry.isFile() && entry.name !== 'index.html')
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = name.slice(folder.length).split(sep).join('/')
      return [path, await loadFile(name)] as const
    }),
  )
  return { index, files: new Map(files) }
}

async function loadFile(name: string): Promise<PageFile> {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`${name}: the web page holds a file of a kind that is not served`)
  const bytes = await readFile(name)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { type, etag, bytes, ...(await compressed(bytes)) }
}

/** A quality at which a whole page takes a fraction of a second. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

async function compressed(bytes: Buffer): Promise<Pick<PageFile, 'br' | 'gzip'>> {
  const [br, zipped] = await Promise.all([promisify(brotliCompress)(bytes, quality), promisify(gzip)(bytes)])
  return {
    ...(br.length < bytes.length && { br }),
    ...(zipped.length < bytes.length && { gzip: zipped }),
  }
}
