import {
  compilePlugin,
  declaredSandbox,
  inHaste,
  readPlugin,
  type DeclaredPlugin,
} from '../../core/declarative/index.ts'
import {
  checkConnection,
  loopbackEgress,
  runSkill,
  type ServedSandbox,
} from '../../core/plugin/testing/index.ts'
import { pluginWith } from './support.ts'

type Parts = Parameters<typeof pluginWith>[0]
export type Example = Readonly<Record<string, unknown>>

export const withKey = `fields: { api_key: { secret: true } }
auth: { header: X-Key, value: "\${{ settings.api_key }}" }`
export const getIp = `input: { ip: {} }
request: { get: [ips, "\${{ input.ip }}"] }
not_found: 404
output: { score: "\${{ response.body.score }}" }`
export const known = {
  input: { ip: '192.0.2.1' },
  responses: [{ body: { score: 9 } }],
  output: { found: true, score: 9 },
}

/** A plugin whose skill has these examples. */
export function declaredWith(
  { connection = withKey, skill = '' }: Parts,
  ...examples: readonly Example[]
): DeclaredPlugin {
  const names = examples.map((_, at) => `examples/${at}.json`)
  const source = pluginWith({ connection, skill: `${skill}\nexamples: [${names.join(', ')}]` })
  const read = (path: string) => {
    const example = { title: path, output: {}, input: {}, ...examples[names.indexOf(path)] }
    return { text: JSON.stringify(example) }
  }
  const { plugin, problems } = readPlugin(source, { files: { read } })
  if (plugin === undefined) throw new Error(problems.map(({ message }) => message).join('\n'))
  return plugin
}

const started: ServedSandbox[] = []

/** Closes the sandboxes of a test. */
export async function closeAll(): Promise<void> {
  await Promise.all(started.splice(0).map((running) => running.close()))
}

/** A running sandbox, and calls of the first skill and of the check against it. */
export async function startedFor(declared: DeclaredPlugin) {
  const running = (await declaredSandbox(declared)!.start()) as ServedSandbox
  started.push(running)
  const { skills, connection } = compilePlugin(inHaste(declared))
  const reached = { settings: running.settings, egress: loopbackEgress }
  const fails = (error: unknown) => ({ code: (error as { code?: string }).code })
  return {
    running,
    run: async (input: object = {}, more: object = {}) =>
      (await runSkill(skills[0]!, input, { ...reached, ...more })).output,
    code: async (input: object = {}, settings: object = {}) =>
      await runSkill(skills[0]!, input, {
        ...reached,
        settings: { ...running.settings, ...settings },
      }).then(() => ({ code: undefined }), fails),
    check: async (settings: object = {}) =>
      await checkConnection(connection!, {
        ...reached,
        settings: { ...running.settings, ...settings },
      }).then(({ account }) => ({ account }), fails),
    call: (path: string, init: RequestInit = {}) =>
      fetch(running.url + path, { headers: { 'x-key': String(running.settings['api_key']) }, ...init }),
  }
}
