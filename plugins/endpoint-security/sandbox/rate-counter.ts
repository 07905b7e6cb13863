import type { RateBudget } from 'tocsin/plugin'
import { countCalls, type SandboxHandler, type SandboxReply, type SandboxRoutes } from 'tocsin/plugin/testing'
import { faults } from './faults.ts'

const perMinute = (requests: number) => ({ requests, perMs: 60_000 })
const perHour = (requests: number) => ({ requests, perMs: 3_600_000 })

/** What the vendor's page about an operation says, by route. Written apart from what the plugin keeps to. */
const special: Readonly<Record<string, RateBudget['limits']>> = {
  'POST /api/advancedqueries/run': [perMinute(45), perHour(1500)],
  'POST /API/machines/:id/runliveresponse': [perMinute(10)],
  'GET /api/machineactions/:id/getPackageUri': [perMinute(2), perHour(120)],
}
const usual = [perMinute(100), perHour(1500)]

/** Counts calls by route, and has the refusal where there were too many. Tokens are not counted. */
export function rateCounter(now?: () => number): (route: string) => SandboxReply | undefined {
  const count = countCalls(now)
  return (route) => {
    if (!/^\w+ \/api\//i.test(route)) return undefined
    const waitS = count(route, special[route] ?? usual)
    return waitS === undefined
      ? undefined
      : { ...faults.tooManyRequests, headers: { 'retry-after': String(waitS) } }
  }
}

/** The same routes, each with its rate. */
export function withRates(routes: SandboxRoutes): SandboxRoutes {
  const refuse = rateCounter()
  const counted = (route: string, answer: SandboxHandler): SandboxHandler => {
    return (call) => refuse(route) ?? answer(call)
  }
  return Object.fromEntries(Object.entries(routes).map(([route, answer]) => [route, counted(route, answer)]))
}
