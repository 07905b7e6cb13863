import type { SandboxHandler, SandboxReply, SandboxRoutes } from 'tocsin/plugin/testing'
import { faults } from './faults.ts'

/** What the vendor's page about an operation says, by route: calls a minute and an hour. Written apart from what the plugin keeps to. */
const special: Readonly<Record<string, readonly [number, number]>> = {
  'POST /api/advancedqueries/run': [45, 1500],
  'POST /API/machines/:id/runliveresponse': [10, Infinity],
  'GET /api/machineactions/:id/getPackageUri': [2, 120],
}
const usual = [100, 1500] as const

/** Counts calls by route, and has the refusal where there were too many. Tokens are not counted. */
export function rateCounter(now: () => number = Date.now): (route: string) => SandboxReply | undefined {
  const calls = new Map<string, readonly number[]>()
  return (route) => {
    if (!/^\w+ \/api\//i.test(route)) return undefined
    const [minutely, hourly] = special[route] ?? usual
    const at = now()
    const known = (calls.get(route) ?? []).filter((time) => time > at - 3_600_000)
    const lastMinute = known.filter((time) => time > at - 60_000)
    if (lastMinute.length >= minutely) return refusal(60_000 - (at - (lastMinute[0] ?? at)))
    if (known.length >= hourly) return refusal(3_600_000 - (at - (known[0] ?? at)))
    calls.set(route, [...known, at])
    return undefined
  }
}

const refusal = (waitMs: number): SandboxReply => ({
  ...faults.tooManyRequests,
  headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
})

/** The same routes, each with its rate. */
export function withRates(routes: SandboxRoutes): SandboxRoutes {
  const refuse = rateCounter()
  const counted = (route: string, answer: SandboxHandler): SandboxHandler => {
    return (call) => refuse(route) ?? answer(call)
  }
  return Object.fromEntries(Object.entries(routes).map(([route, answer]) => [route, counted(route, answer)]))
}
