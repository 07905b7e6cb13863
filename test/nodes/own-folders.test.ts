import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { describePostgres } from '../support/postgres.ts'
import { startTestCluster, type ClusterNode, type TestCluster } from './support/test-cluster.ts'
import { toolPlugin } from './support/tool-plugin.ts'

const source = (name: string, n: number) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - return: { n: ${n} }\n`
const numberIn = (text: string): number => Number(/n: (\d+)/.exec(text)?.[1])

/** A superuser without the right to write where the permissions forbid it. */
const withoutOverride =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []

/** By name. */
type Numbers = Record<string, number>

describePostgres('a playbooks folder of each of two nodes', () => {
  let cluster: TestCluster
  let a: ClusterNode
  let b: ClusterNode
  let marks = 100

  beforeEach(async function () {
    this.timeout(120_000)
    const names = ['edited', 'again', 'drafted', 'leaving', 'staying', 'marker']
    cluster = await startTestCluster({
      nodes: 2,
      plugin: toolPlugin(),
      playbooks: Object.fromEntries(names.map((name) => [name, source(name, 1)])),
      egress: '127.0.0.1:1',
      ownPlaybooks: true,
      // The socket is in a folder of another user.
      between: async (tcpAddress) => tcpAddress,
      env: { TOCSIN_PLAYBOOKS_RELOAD_SECONDS: '1', TOCSIN_LOG_LEVEL: 'warn' },
    })
    ;[a, b] = cluster.nodes as [ClusterNode, ClusterNode]
  })
  afterEach(() => cluster.close())

  async function call(node: ClusterNode, path: string, options?: Parameters<TestCluster['call']>[2]) {
    const reply = await cluster.call(node, path, options)
    expect(reply.status, JSON.stringify(reply.body)).to.be.within(200, 299)
    return reply.body
  }
  const edit = (node: ClusterNode, name: string, n: number, isNew = false) =>
    call(node, `/playbooks/${name}`, {
      method: 'PUT',
      body: { source: source(name, n) },
      headers: isNew ? {} : { 'if-match': '*' },
    })
  async function publishDraft(node: ClusterNode, name: string, n: number): Promise<void> {
    const path = `/playbooks/${name}/draft`
    const { hash } = await call(node, `/playbooks/${name}`)
    await call(node, path, { method: 'PUT', body: { source: source(name, n), base_hash: hash } })
    const { headers } = await cluster.call(node, path)
    const body = { reason: 'tried' }
    await call(node, `${path}/publish`, { body, headers: { 'if-match': headers.get('etag')! } })
  }
  /** Replaces one playbook by another, in one change. */
  async function rename(node: ClusterNode, from: string, to: string, n: number): Promise<void> {
    const { data } = await call(node, '/playbook-set')
    const rest = data.filter(({ name }: { name: string }) => name !== from)
    const playbooks = [...rest, { source: source(to, n) }].map((each) => ({ source: each.source }))
    await call(node, '/playbook-set', { body: { playbooks, prune: true } })
  }
  async function live(node: ClusterNode): Promise<Numbers> {
    const { data } = await call(node, '/playbook-set')
    const numbers = data.map((each: { name: string; source: string }) => [each.name, numberIn(each.source)])
    return Object.fromEntries(numbers)
  }
  async function files(node: ClusterNode): Promise<Numbers> {
    const folder = cluster.playbooksOf(node)
    const found: Numbers = {}
    for (const file of await readdir(folder)) {
      // It may be deleted meanwhile.
      const text = await readFile(join(folder, file), 'utf8').catch(() => undefined)
      if (text !== undefined) found[file.replace('.yaml', '')] = numberIn(text)
    }
    return found
  }
  const write = (node: ClusterNode, name: string, n: number) =>
    writeFile(join(cluster.playbooksOf(node), `${name}.yaml`), source(name, n))
  /** Resolves when the node has read its folder and published a change of it. */
  async function reads(node: ClusterNode): Promise<void> {
    const mark = marks++
    await write(node, 'marker', mark)
    await eventually(
      'the node reads its folder',
      async () => (await live(node))['marker'] === mark || undefined,
    )
  }
  const shows = (what: string, get: () => Promise<Numbers>, expected: Numbers) =>
    eventually(what, async () => {
      const { marker: _, ...rest } = await get()
      return isDeepStrictEqual(rest, expected) || undefined
    })
  async function kill({ server }: ClusterNode): Promise<string> {
    server.command.process.kill('SIGKILL')
    return (await server.command.ended).stderr
  }
  async function expectLive(node: ClusterNode, expected: Numbers): Promise<void> {
    const { marker: _, ...rest } = await live(node)
    expect(rest).to.deep.equal(expected)
  }

  /** What people change, and what is published then. */
  async function change(node: ClusterNode): Promise<Numbers> {
    await edit(node, 'edited', 2)
    await edit(node, 'again', 2)
    await edit(node, 'again', 1)
    await publishDraft(node, 'drafted', 2)
    await edit(node, 'created', 1, true)
    await rename(node, 'leaving', 'renamed', 1)
    return { edited: 2, again: 1, drafted: 2, created: 1, renamed: 1, staying: 1 }
  }

  it('has what people published on a node that is lost, when the other takes over', async function () {
    this.timeout(120_000)
    const expected = await change(a)
    await shows('the files of the other node', () => files(b), expected)
    await kill(a)
    await reads(b)
    await expectLive(b, expected)
    await shows('the files', () => files(b), expected)
    // The first one comes back with its folder, and takes over again.
    await edit(b, 'edited', 3)
    await kill(b)
    await cluster.restart(a)
    await reads(a)
    await expectLive(a, { ...expected, edited: 3 })
    await shows('the files', () => files(a), { ...expected, edited: 3 })
  })

  it('does not undo what people published while its node was stopped', async function () {
    this.timeout(120_000)
    await kill(b)
    const expected = await change(a)
    await kill(a)
    await cluster.restart(b)
    await reads(b)
    await expectLive(b, expected)
    await shows('the files', () => files(b), expected)
    await cluster.restart(a)
    await shows('the first node', () => live(a), expected)
  })

  it('of the node that reads it follows edits on the other, and publishes earlier versions and deletions by hand', async function () {
    this.timeout(120_000)
    await reads(a)
    const expected = await change(b)
    await shows('the files of the node that reads', () => files(a), expected)
    await reads(a)
    await expectLive(a, expected)
    await write(a, 'edited', 1)
    await shows('the earlier version', () => live(a), { ...expected, edited: 1 })
    await edit(b, 'edited', 2)
    await shows('the files', () => files(a), expected)
  })

  it('that is read-only undoes nothing either, and the node says which files are outdated', async function () {
    this.timeout(120_000)
    await kill(b)
    await chmod(cluster.playbooksOf(b), 0o555)
    await cluster.restart(b, withoutOverride)
    const expected = await change(a)
    await shows('the other node', () => live(b), expected)
    const before = await files(b)
    await kill(a)
    await reads(b)
    await expectLive(b, expected)
    expect(await files(b)).to.deep.include({ ...before, marker: marks - 1 })
    const { outdated, refused_change: refused } = await call(b, '/playbook-folder')
    const outdatedFiles = outdated.map(({ file }: { file: string }) => file)
    expect(outdatedFiles).to.have.members(
      ['created', 'drafted', 'edited', 'leaving', 'renamed'].map((name) => `${name}.yaml`),
    )
    expect(refused).to.equal(null)
    const refusal = await cluster.call(b, '/playbooks/edited', {
      method: 'PUT',
      body: { source: source('edited', 9) },
      headers: { 'if-match': '*' },
    })
    expect(refusal.body.code).to.equal('playbooks_read_only')
    await chmod(cluster.playbooksOf(b), 0o755)
    const lines = (await kill(b)).split('\n').filter((line) => line.includes('cannot be replaced'))
    expect(lines.filter((line) => line.includes('edited.yaml'))).to.have.length(1)
  })

  it('is published as it is in a rolling deployment, and all is well when all nodes have the same files', async function () {
    this.timeout(120_000)
    const expected = { edited: 2, again: 1, drafted: 1, leaving: 1, staying: 1 }
    await write(a, 'edited', 2)
    await shows('the new version', () => live(b), expected)
    await kill(a)
    await reads(b)
    await shows('the version of the folder that is left', () => live(b), { ...expected, edited: 1 })
    await write(b, 'edited', 2)
    await shows('the new version', () => live(b), expected)
    await cluster.restart(a)
    await kill(b)
    await reads(a)
    await expectLive(a, expected)
  })
})
