import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { readConfig, variableNames } from '../../server/config/config.ts'
import { parsePostgresAddress } from '../../server/postgres/driver/address.ts'

const deploy = join(import.meta.dirname, '../../deploy')
const read = (path: string) => readFileSync(join(deploy, path), 'utf8')

interface Service {
  readonly image: string
  readonly restart: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address: string }>>
  readonly depends_on?: readonly string[]
  readonly stop_grace_period?: string
}
const compose = parse(read('compose-cluster.yml'), { merge: true }) as {
  readonly services: Readonly<Record<'node1' | 'node2' | 'caddy' | 'database' | 'standby', Service>>
  readonly networks: object
  readonly volumes: object
}
const { node1, node2, caddy, standby } = compose.services
const values: Readonly<Record<string, string>> = {
  DATABASE_PASSWORD: 'secret',
  MASTER_KEY: Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64'),
  SITE: 'tocsin.example.com',
}
const filled = (text: string) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind: string, standard: string) =>
    kind === '-' ? standard : (values[name] ?? `unknown ${name}`),
  )

describe('the compose file for two nodes', () => {
  it('refers to existing files, services, networks and volumes', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const volume of service.volumes ?? []) {
        const [from = ''] = filled(volume).split(':')
        if (from.startsWith('.')) expect(existsSync(join(deploy, from)), from).to.equal(true)
        else expect(compose.volumes).to.have.property(from)
      }
      const networks = Array.isArray(service.networks) ? service.networks : Object.keys(service.networks)
      expect(compose.networks, name).to.include.keys(networks)
      for (const other of service.depends_on ?? []) expect(compose.services).to.have.property(other)
      expect(service.restart, name).to.equal('always')
    }
  })

  it('gives both nodes the same valid configuration, and names of their own', () => {
    expect({ ...node1, hostname: 'node1' }).to.deep.equal(node1)
    expect({ ...node1, hostname: 'node2' }).to.deep.equal(node2)
    const own = Object.fromEntries(
      Object.entries(node1.environment ?? {}).map(([name, value]) => [name, filled(value)]),
    )
    expect(variableNames).to.include.members(Object.keys(own))
    const config = readConfig({ ...own, TOCSIN_HOST: '0.0.0.0' })
    expect(config.warnings).to.deep.equal([])
    const { hosts, user, password, database } = parsePostgresAddress(config.store?.reveal() ?? '')
    expect({ user, password, database }).to.deep.equal({
      user: 'tocsin',
      password: 'secret',
      database: 'tocsin',
    })
    for (const { host } of hosts) expect(compose.services).to.have.property(host)
  })

  it('waits longer for a node to stop than the node needs', () => {
    const drain = Number(node1.environment?.['TOCSIN_DRAIN_SECONDS'])
    expect(Number.parseInt(node1.stop_grace_period ?? '', 10)).to.be.above(drain + 20)
  })

  it('has a balancer that asks each node whether it is ready, and that the nodes trust', () => {
    const file = read('caddy/Caddyfile.cluster')
    expect(file)
      .to.match(/^\treverse_proxy node1:8080 node2:8080 \{$/m)
      .and.include('health_uri /readyz')
      .and.include('lb_policy cookie')
    const { proxy } = caddy.networks as Readonly<Record<string, { readonly ipv4_address: string }>>
    expect(node1.environment?.['TOCSIN_TRUSTED_PROXIES']).to.equal(proxy?.ipv4_address)
  })

  it('names the standby for which commits wait as that connects', () => {
    const [, name] = /synchronous_standby_names = '(\w+)'/.exec(read('postgres/allow-standby.sh')) ?? []
    const start = read('postgres/start-standby.sh')
    expect(start).to.include(`application_name=${name}'`)
    expect(start, 'commits after a promotion').to.include("synchronous_standby_names = ''")
    expect(standby.volumes).to.include('./postgres/start-standby.sh:/start-standby.sh:ro')
  })
})
