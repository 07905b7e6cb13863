import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import { requestHandler, type RequestHandler, type RequestSettings } from '../request/handle-request.ts'
import { RequestError } from '../request/request-error.ts'
import type { Route, Services } from './route.ts'

/** What the router leaves in the state of a context. */
export interface RoutedState {
  /** Path of the route in the table. */
  route?: string
}

/**
 * The router, made from the table. Paths are compared exactly, before any decoding: an encoded or doubled slash, a trailing
 * one, or another letter case is another path, and leads nowhere.
 */
export function createRouter(
  routes: readonly Route[],
  services: Services,
  settings: RequestSettings,
): Middleware {
  const { prefix } = settings
  const router = new Router({ sensitive: true, strict: true })
  const handlers = new Map<unknown, { readonly path: string; readonly handle: RequestHandler }>()
  for (const route of routes) {
    // The router only finds the route: its own middleware would find it a second time.
    const layer = router.register(pathOf(route, prefix), [route.method], () => undefined)
    handlers.set(layer, { path: route.path, handle: requestHandler(route, services, settings) })
  }
  return (context) => {
    const { path } = context
    const matched = router.match(path, context.method)
    const [layer] = matched.pathAndMethod
    const found = handlers.get(layer)
    if (layer !== undefined && found !== undefined) {
      const state: RoutedState = context.state
      state.route = found.path
      return found.handle(context, layer.params(path, layer.captures(path)))
    }
    const methods = new Set(matched.path.flatMap((layer) => layer.methods))
    throw methods.size === 0 ? pathNotFound(prefix) : methodNotAllowed(context.method, methods)
  }
}
/** `/alerts/{id}` → `/api/alerts/:id`. */
function pathOf(route: Route, prefix: string): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1')
  return route.outsidePrefix === true ? path : `/${prefix}${path}`
}

function pathNotFound(prefix: string): RequestError {
  return new RequestError('path_not_found', undefined, {
    hint: `the paths of the API begin with /${prefix}/; letter case and slashes count`,
  })
}

function methodNotAllowed(method: string, methods: ReadonlySet<string>): RequestError {
  const allow = [...methods].toSorted().join(', ')
  return new RequestError('method_not_allowed', `The path does not know ${method}; it knows ${allow}.`, {
    headers: { allow },
  })
}
