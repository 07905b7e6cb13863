import { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'
import { requestHandler, type RequestHandler, type RequestSettings } from '../request/handle-request.ts'
import { RequestError } from '../request/request-error.ts'
import type { Route, Services } from './route.ts'

/** Router state of a context. */
export interface RoutedState {
  /** Path template of the route. */
  route?: string
}

interface Found {
  /** As the table of routes has it. */
  readonly path: string
  readonly handle: RequestHandler
}

/**
 * Compares paths exactly, before decoding: an encoded, doubled or trailing slash, or another letter case,
 * does not match.
 */
export function createRouter(
  routes: readonly Route[],
  services: Services,
  settings: RequestSettings,
): Middleware {
  const { prefix } = settings
  const router = new Router({ sensitive: true, strict: true })
  const handlers = new Map<unknown, Found>()
  const fixed = new Map<string, Found>()
  for (const route of routes) {
    // The router only finds the route; its own middleware would match a second time.
    const layer = router.register(pathOf(route, prefix), [route.method], () => undefined)
    const found = { path: route.path, handle: requestHandler(route, services, settings) }
    handlers.set(layer, found)
    // Paths without parameters need no search, unless an earlier route matches them.
    const path = pathOf(route, prefix)
    if (router.match(path, route.method).pathAndMethod[0] === layer)
      fixed.set(`${route.method} ${path}`, found)
  }
  return (context) => {
    const { path } = context
    const known = fixed.get(`${context.method} ${path}`)
    if (known !== undefined) return answerBy(known, context, {})
    const matched = router.match(path, context.method)
    const [layer] = matched.pathAndMethod
    const found = handlers.get(layer)
    if (layer !== undefined && found !== undefined)
      return answerBy(found, context, layer.params(path, layer.captures(path)))
    const methods = new Set(matched.path.flatMap((layer) => layer.methods))
    throw methods.size === 0 ? pathNotFound(prefix) : methodNotAllowed(context.method, methods)
  }
}

function answerBy(
  { path, handle }: Found,
  context: Context,
  params: Readonly<Record<string, string>>,
): Promise<void> {
  const state: RoutedState = context.state
  state.route = path
  return handle(context, params)
}

/** `/alerts/{id}` → `/api/alerts/:id`. */
function pathOf(route: Route, prefix: string): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
  return route.outsidePrefix === true ? path : `/${prefix}${path}`
}

function pathNotFound(prefix: string): RequestError {
  return new RequestError('path_not_found', undefined, {
    hint: `API paths begin with /${prefix}/; letter case and slashes matter`,
  })
}

function methodNotAllowed(method: string, methods: ReadonlySet<string>): RequestError {
  const allow = [...methods].toSorted().join(', ')
  return new RequestError(
    'method_not_allowed',
    `This path does not support ${method}; it supports ${allow}.`,
    {
      headers: { allow },
    },
  )
}
