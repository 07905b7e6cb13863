import { writeFile } from 'node:fs/promises'
import { Session, type Profiler } from 'node:inspector/promises'

/** Assigns the time of a function to a part, by its file; the first match counts. */
const parts: readonly (readonly [part: string, file: RegExp])[] = [
  ['measuring', /test\/bench\/profile|node:inspector/],
  ['store (SQLite)', /better-sqlite3|server\/sqlite\/|test\/bench\/count-commits/],
  [
    'HTTP server (Koa)',
    /node_modules\/(koa|@koa|raw-body|http-errors|on-finished|ee-first|delegates)|server\/http\/|server\/keys/,
  ],
  [
    'calls: outbound client',
    /node_modules\/(got|cacheable|keyv|@sindresorhus|lowercase-keys|decompress|ipaddr)|server\/egress\//,
  ],
  ['calls: skills, schemas, redaction', /core\/(skill|schema|registry)\/|plugins\/|re2js|ajv/],
  ['engine, expressions, playbooks', /core\/(engine|expression|playbook|investigation|domain)\//],
  ['JSON', /core\/json\.ts/],
]

/** Profiles this process until the returned function is called: milliseconds by part. */
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

const others = "Node's own: sockets, promises, timers"

function byPart({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): Readonly<Record<string, number>> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parent = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const known = new Map<number, string>()
  const total: Record<string, number> = {}
  for (const [index, id] of samples.entries()) {
    const part = partOf(id)
    total[part] = (total[part] ?? 0) + (timeDeltas[index] ?? 0) / 1_000
  }
  return total

  /** Time of code without a file of ours, such as `JSON.parse` and Node's own, counts for its caller. */
  function partOf(id: number): string {
    const node = byId.get(id)
    if (node === undefined) return others
    const before = known.get(id)
    if (before !== undefined) return before
    const { functionName, url } = node.callFrame
    const above = parent.get(id)
    const own = parts.find(([, pattern]) => pattern.test(url))?.[0]
    const part =
      functionName === '(garbage collector)' || functionName === '(idle)'
        ? functionName.slice(1, -1)
        : (own ?? (above === undefined ? others : partOf(above)))
    known.set(id, part)
    return part
  }
}
