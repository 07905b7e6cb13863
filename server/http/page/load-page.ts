import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** A file of the web page, ready to send. */
export interface PageFile {
  readonly type: string
  readonly etag: string
  readonly bytes: Buffer
  /** Compresses on the first call and keeps the result; undefined if compression does not help. */
  compressed(encoding: Encoding): Promise<Buffer | undefined>
}

export type Encoding = 'br' | 'gzip'

/** The web page in memory. */
export interface WebPage {
  /** HTML with the placeholders `__nonce__` and `__api__`. */
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
 * Reads the output of `npm run page`. Undefined if it was not built: the API works without it.
 *
 * @throws Error for a file of an unknown type
 */
export async function loadPage(folder: string): Promise<WebPage | undefined> {
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
  if (type === undefined) throw new Error(`${name}: the web page contains a file of an unknown type`)
  const bytes = await readFile(name)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  const kept = new Map<Encoding, Promise<Buffer | undefined>>()
  return {
    type,
    etag,
    bytes,
    compressed(encoding) {
      const made = kept.get(encoding) ?? compress(bytes, encoding)
      kept.set(encoding, made)
      return made
    },
  }
}

/** Compresses the whole page in a fraction of a second. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

async function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer | undefined> {
  const smaller =
    encoding === 'br' ? await promisify(brotliCompress)(bytes, quality) : await promisify(gzip)(bytes)
  return smaller.length < bytes.length ? smaller : undefined
}
