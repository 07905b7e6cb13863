import { randomBytes } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { acceptsRather } from '../request/accepts-rather.ts'
import { RequestError } from '../request/request-error.ts'
import type { WebPage, PageFile } from './load-page.ts'
import { viewPaths } from './view-paths.ts'

/**
 * Serves the web page at `/`, its files, and its views; passes other paths on to the routes. For a browser an
 * unknown path is the page with 404, which then says so. The page contains no data, so it is public.
 */
export function servePage(page: WebPage, apiPrefix: string): Middleware {
  const index = page.index.replace('__api__', `/${apiPrefix}`)
  const serve = async (context: Context, next: () => Promise<unknown>): Promise<void> => {
    const { path } = context
    const file = page.files.get(path)
    if (file !== undefined) return await sendFile(context, file, path.startsWith('/assets/'))
    if (isView(path)) return sendIndex(context, index)
    try {
      await next()
    } catch (error) {
      if (!isNowhere(error) || isOfApi(path, apiPrefix) || !acceptsRather(context.get('accept'), 'text/html'))
        throw error
      context.status = 404
      sendIndex(context, index)
    }
  }
  return (context, next) =>
    context.method === 'GET' || context.method === 'HEAD' ? serve(context, next) : next()
}

const isNowhere = (error: unknown): boolean =>
  error instanceof RequestError && error.code === 'path_not_found'

const isOfApi = (path: string, apiPrefix: string): boolean =>
  path === `/${apiPrefix}` || path.startsWith(`/${apiPrefix}/`)

function isView(path: string): boolean {
  if (path === '/') return true
  const [, first = ''] = path.split('/', 2)
  return viewPaths.has(first)
}

/**
 * Only what the page needs: its own scripts and style sheets, the API, and style elements with the nonce of
 * the response.
 */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // The only policy of the page refuses elements: no text becomes markup or code (`server/web/main.tsx`).
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}

function sendIndex(context: Context, index: string): void {
  const nonce = randomBytes(16).toString('base64')
  context.set('content-security-policy', policy(nonce))
  context.set('content-type', 'text/html; charset=utf-8')
  context.body = index.replaceAll('__nonce__', nonce)
}

/** Files below `/assets/` have a hash in their names, so their content never changes. */
async function sendFile(context: Context, file: PageFile, isNamedByHash: boolean): Promise<void> {
  context.set('cache-control', isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache')
  context.set('etag', file.etag)
  context.set('vary', 'accept-encoding')
  if (context.get('if-none-match') === file.etag) {
    context.status = 304
    return
  }
  const encoding = context.acceptsEncodings('br', 'gzip', 'identity')
  context.set('content-type', file.type)
  context.body = file.bytes
  if (encoding !== 'br' && encoding !== 'gzip') return
  const smaller = await file.compressed(encoding)
  if (smaller === undefined) return
  context.set('content-encoding', encoding)
  context.body = smaller
}
