import type { RateBudget } from 'tocsin/plugin'
import { countCalls, type SandboxHandler, type SandboxReply, type SandboxRoutes } from 'tocsin/plugin/testing'
import { endpointFaults } from './faults.ts'

const perMinute = (requests: number) => ({ requests, perMs: 60_000 })
const perHour = (requests: number) => ({ requests, perMs: 3_600_000 })

/** Limits from the vendor's documentation, by route; kept separate from the plugin's own limits. */
const special: Readonly<Record<string, RateBudget['limits']>> = {
  'POST /api/advancedqueries/run': [perMinute(45), perHour(1500)],
  'POST /API/machines/:id/runliveresponse': [perMinute(10)],
  'GET /api/machineactions/:id/getPackageUri': [perMinute(2), perHour(120)],
}
const usual = [perMinute(100), perHour(1500)]

/** Counts calls by route and refuses those over the limit. Token calls are not counted. */
export function rateCounter(now?: () => number): (route: string) => SandboxReply | undefined {
  const count = countCalls(now)
  return (route) => {
    if (!/^\w+ \/api\//i.test(route)) return undefined
    const waitS = count(route, special[route] ?? usual)
    return waitS === undefined
      ? undefined
      : { ...endpointFaults.tooManyRequests, headers: { 'retry-after': String(waitS) } }
  }
}

/** The same routes, each with its limit. */
export function withRates(routes: SandboxRoutes): SandboxRoutes {
  const refuse = rateCounter()
  const counted = (route: string, answer: SandboxHandler): SandboxHandler => {
    return (call) => refuse(route) ?? answer(call)
  }
  return Object.fromEntries(Object.entries(routes).map(([route, answer]) => [route, counted(route, answer)]))
}
