import { randomBytes } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { acceptsRather } from '../request/accepts-rather.ts'
import { RequestError } from '../request/request-error.ts'
import type { Page, PageFile } from './load-page.ts'
import { viewPaths } from './view-paths.ts'

/**
 * Answers `/`, the files of the web page, and every path that the page shows itself, with the page; leaves all else to the
 * routes. A browser that looks at a path which is nowhere gets the page too, with 404: the page says so. It holds no data and
 * decides nothing, so it is for everybody, also by a link on another site.
 */
export function servePage(page: Page, apiPrefix: string): Middleware {
  const index = page.index.replace('__api__', `/${apiPrefix}`)
  return async (context, next) => {
    const { method, path } = context
    if (method !== 'GET' && method !== 'HEAD') return await next()
    const file = page.files.get(path)
    if (file !== undefined) return sendFile(context, file, path.startsWith('/assets/'))
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

/** Only what the page needs: its own scripts and style sheets, the API, and style elements with the nonce of the response. */
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
    // No text becomes markup or code: the page's only policy refuses elements (`server/web/main.tsx`).
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

/** Files below `/assets/` have a hash in their names, so that a name never means something else. */
function sendFile(context: Context, file: PageFile, isNamedByHash: boolean): void {
  context.set('cache-control', isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache')
  context.set('etag', file.etag)
  context.set('vary', 'accept-encoding')
  if (context.get('if-none-match') === file.etag) {
    context.status = 304
    return
  }
  const encoding = context.acceptsEncodings('br', 'gzip', 'identity')
  const smaller = encoding === 'br' ? file.br : encoding === 'gzip' ? file.gzip : undefined
  if (smaller !== undefined && encoding !== false) context.set('content-encoding', encoding)
  context.set('content-type', file.type)
  context.body = smaller ?? file.bytes
}
