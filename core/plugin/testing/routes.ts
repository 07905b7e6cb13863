import type { SandboxHandler, SandboxRoutes } from './serve-sandbox.ts'

interface Route {
  readonly method: string
  readonly segments: readonly string[]
  readonly handler: SandboxHandler
}

/** One handler out of many; an unknown path is answered 404, a known path with another method 405. */
export function compileRoutes(routes: SandboxRoutes): SandboxHandler {
  const compiled = Object.entries(routes).map(([name, handler]): Route => {
    const [method = '', path = ''] = name.split(' ')
    return { method, segments: path.split('/'), handler }
  })
  return (call) => {
    const matching = compiled.flatMap((route) => {
      const params = match(route.segments, call.pathname.split('/'))
      return params === undefined ? [] : [{ route, params }]
    })
    const found = matching.find(({ route }) => route.method === call.method)
    if (found !== undefined) return found.route.handler({ ...call, params: found.params })
    return { status: matching.length > 0 ? 405 : 404, json: { error: { message: 'Not found' } } }
  }
}

function match(
  pattern: readonly string[],
  path: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== path.length) return undefined
  const params: [string, string][] = []
  for (const [index, segment] of pattern.entries()) {
    const actual = path[index] ?? ''
    if (segment.startsWith(':')) params.push([segment.slice(1), decode(actual)])
    else if (segment !== actual) return undefined
  }
  return Object.fromEntries(params)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
