import { writeFile } from 'node:fs/promises'
import { Session, type Profiler } from 'node:inspector/promises'

/** Where a function's time is counted, by the file it stands in; the first that fits. */
const parts: readonly (readonly [part: string, file: RegExp])[] = [
  ['SQLite', /better-sqlite3|server\/sqlite\//],
  ['HTTP server', /node_modules\/(koa|@koa|raw-body|http-errors|bytes|router)|server\/http\//],
  [
    'HTTP client',
    /node_modules\/(got|cacheable|keyv|lowercase|http-cache|form-data|responselike|normalize|get-stream|decompress|mimic|quick-lru|type-fest|p-cancelable|@sindresorhus|uint8array|@szmarczak)|server\/egress\//,
  ],
  ['Skills', /core\/(skill|schema|registry)\/|plugins\//],
  ['Engine', /core\/(engine|expression|playbook|investigation|domain)\//],
  ['JSON', /core\/json\.ts/],
  ['Node', /^node:/],
]

/** Samples what this process does until the given function is called: milliseconds of self time by part. */
export async function startProfile(): Promise<() => Promise<Readonly<Record<string, number>>>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 250 })
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    const file = process.env['TOCSIN_BENCH_PROFILE']
    if (file !== undefined) await writeFile(file, JSON.stringify(profile))
    return byPart(profile)
  }
}

function byPart({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Readonly<Record<string, number>> {
  const parent = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const partOf = new Map(nodes.map((node) => [node.id, namePart(node)]))
  const total: Record<string, number> = {}
  for (const [index, id] of samples.entries()) {
    const part = partOf.get(id) ?? 'other'
    total[part] = (total[part] ?? 0) + (timeDeltas[index] ?? 0) / 1_000
  }
  return total

  /** What has no file of its own, such as `JSON.parse`, belongs to its caller. */
  function namePart(node: Profiler.ProfileNode): string {
    const { functionName, url } = node.callFrame
    if (functionName.startsWith('(') && functionName !== '(anonymous)') return functionName.slice(1, -1)
    const above = byId.get(parent.get(node.id) ?? -1)
    if (url === '') return above === undefined ? 'other' : namePart(above)
    return parts.find(([, pattern]) => pattern.test(url))?.[0] ?? 'other'
  }
}
