import type { RateBudget, RatedRequest, RateLimit } from 'tocsin/plugin'

const minute = 60_000
const hour = 60 * minute

const perMinuteAndHour = (minutely: number, hourly: number): readonly RateLimit[] => [
  { requests: minutely, perMs: minute },
  { requests: hourly, perMs: hour },
]

const special: Readonly<Record<string, readonly RateLimit[]>> = {
  'POST advancedqueries run': perMinuteAndHour(45, 1500),
  'POST machines runliveresponse': [{ requests: 10, perMs: minute }],
  'GET machineactions getPackageUri': perMinuteAndHour(2, 120),
}

/** Path segments that name a resource or function; every other segment is an id. */
const words: ReadonlySet<string> = new Set([
  'isolate',
  'unisolate',
  'runAntiVirusScan',
  'collectInvestigationPackage',
  'runliveresponse',
  'logonusers',
  'run',
  'machinesVulnerabilities',
  'getPackageUri',
  'GetLiveResponseResultDownloadLink',
])

/**
 * The vendor limits each operation separately: 100 calls a minute and 1,500 an hour unless its page says
 * otherwise. An operation is the method and the path without ids.
 */
export function rateBudget({ method, path }: RatedRequest): RateBudget | undefined {
  const [root, collection, ...rest] = path.split('/').slice(1)
  if (root?.toLowerCase() !== 'api') return undefined // the token call
  const kinds = rest.map((segment) => segment.split('(', 1)[0] ?? '').filter((word) => words.has(word))
  const bucket = [method, collection, ...kinds].join(' ')
  return { bucket, limits: special[bucket] ?? perMinuteAndHour(100, 1500) }
}
