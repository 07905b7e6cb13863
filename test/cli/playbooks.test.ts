import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { chmod, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const source = (name: string, value: number) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - return: { n: ${value} }\n`

describe('tocsin playbooks', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  let folder: string
  beforeEach(async () => {
    tocsin = await startTestTocsin({ inProcess: true, playbooks: { one: source('one', 1) } })
    folder = join(tocsin.folder, 'checkout')
    await mkdir(folder)
  })
  afterEach(async () => {
    await killCommands()
    await tocsin.close()
  })

  const run = (...args: string[]) =>
    runTocsin(['playbooks', ...args], {
      env: { TOCSIN_KEY: tocsin.server.adminKey, TOCSIN_URL: tocsin.server.url },
    })
  const write = (file: string, text: string) => writeFile(join(folder, file), text)
  const read = (file: string) => readFile(join(folder, file), 'utf8')
  const live = async (name: string) => (await tocsin.call(`/playbooks/${name}`)).body

  it('push publishes a folder with reason and commit, and pull writes it elsewhere', async () => {
    await mkdir(join(folder, 'deep'))
    await write('one.yaml', source('one', 2))
    await write('deep/two.yaml', source('two', 1))
    await write('two.test.yaml', 'not sent')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'x')
    const dry = await run('push', folder, '--dry-run')
    expect([dry.code, dry.stdout]).to.deep.equal([
      0,
      'changed  one\ncreated  two\n1 created, 1 changed, 0 deleted, 0 unchanged (dry run: nothing was published)\n',
    ])
    expect((await live('one')).source).to.equal(source('one', 1))
    const pushed = await run('push', folder, '--reason', 'rule 7')
    expect(pushed.code, pushed.stderr).to.equal(0)
    expect(await live('one')).to.include({ source: source('one', 2), in_force: true })
    const [entry] = (await tocsin.call('/audit?action=playbook.put_in_force&limit=1')).body.data
    expect(entry.details).to.deep.include({
      reason: 'rule 7',
      revision: git('rev-parse', 'HEAD').toString().trim(),
    })
    const again = await run('push', folder)
    expect(again.stdout).to.equal('0 created, 0 changed, 0 deleted, 2 unchanged\n')
    const other = join(tocsin.folder, 'other')
    const pulled = await run('pull', other)
    expect(pulled.code, pulled.stderr).to.equal(0)
    expect(await readdir(other)).to.have.members(['one.yaml', 'two.yaml'])
    expect(await readFile(join(other, 'two.yaml'), 'utf8')).to.equal(source('two', 1))
  })

  it('push publishes nothing if a playbook has errors, and names their lines', async () => {
    await write('one.yaml', source('one', 2))
    await write('bad.yaml', source('bad', 1).replace('return', 'retrun'))
    const { code, stderr } = await run('push', folder)
    expect(code).to.equal(1)
    expect(stderr).to.match(/bad\.yaml:5:\d+ E\d+ .*'retrun'/)
    expect((await live('one')).source).to.equal(source('one', 1))
  })

  it('push --prune deletes what the folder does not have', async () => {
    await write('two.yaml', source('two', 1))
    expect((await run('push', folder)).stdout).to.include('1 created, 0 changed, 0 deleted')
    expect((await run('push', folder, '--prune')).stdout).to.include('deleted  one')
    expect((await live('one')).in_force).to.equal(false)
    await rm(join(folder, 'two.yaml'))
    const empty = await run('push', folder, '--prune')
    expect([empty.code, (await live('two')).in_force]).to.deep.equal([1, true])
  })

  it('push says that the folder of the server is read-only', async function () {
    if (process.getuid?.() === 0) this.skip()
    await write('two.yaml', source('two', 1))
    await chmod(tocsin.playbooksDir, 0o555)
    const { code, stderr } = await run('push', folder)
    await chmod(tocsin.playbooksDir, 0o755)
    expect(code).to.equal(1)
    expect(stderr).to.include('cannot be written to').and.include('repository')
  })

  it('diff shows what a push would change, and exits with 1', async () => {
    await write('renamed.yaml', source('one', 1))
    expect(await run('diff', folder)).to.include({ code: 0, stdout: '' })
    await write('renamed.yaml', source('one', 2))
    await write('two.yaml', source('two', 1))
    const { code, stdout } = await run('diff', folder)
    expect(code).to.equal(1)
    expect(stdout).to.include('--- server/one.yaml\n+++ local/renamed.yaml\n')
    expect(stdout).to.include('-  - return: { n: 1 }\n+  - return: { n: 2 }\n')
    expect(stdout).to.include('--- /dev/null\n+++ local/two.yaml\n')
  })

  it('pull overwrites earlier versions, but no content that the server never had', async () => {
    await write('mine.yaml', source('one', 1))
    const { hash } = await live('one')
    const edit = { method: 'PUT', body: { source: source('one', 2) }, headers: { 'if-match': `"${hash}"` } }
    expect((await tocsin.call('/playbooks/one', edit)).status).to.equal(200)
    expect((await run('pull', folder)).stdout).to.include('1 of 1 playbooks written')
    expect(await read('mine.yaml')).to.equal(source('one', 2))
    expect(await readdir(folder)).to.deep.equal(['mine.yaml'])
    await write('mine.yaml', source('one', 7))
    const refused = await run('pull', folder)
    expect([refused.code, await read('mine.yaml')]).to.deep.equal([1, source('one', 7)])
    expect(refused.stderr).to.include('mine.yaml').and.include('--force')
    await run('pull', folder, '--force', '--dry-run')
    expect(await read('mine.yaml')).to.equal(source('one', 7))
    expect((await run('pull', folder, '--force')).code).to.equal(0)
    expect(await read('mine.yaml')).to.equal(source('one', 2))
  })

  it('reload publishes a changed file of the server now, or says why not', async () => {
    await writeFile(join(tocsin.playbooksDir, 'one.yaml'), source('one', 2))
    expect((await run('reload')).stdout).to.equal('1 published, 0 deleted\n')
    await writeFile(join(tocsin.playbooksDir, 'bad.yaml'), 'steps: 7')
    const { code, stdout } = await run('reload')
    expect([code, stdout]).to.satisfy(
      ([one, two]: [number, string]) => one === 1 && two.includes('bad.yaml:1 E'),
    )
    expect((await live('one')).in_force).to.equal(true)
    await rm(join(tocsin.playbooksDir, 'bad.yaml'))
    await writeFile(join(tocsin.playbooksDir, 'two.yaml'), source('one', 3))
    expect((await run('reload')).stdout).to.match(
      /^  two\.yaml:2 E701 one\.yaml and two\.yaml are both named/m,
    )
  })

  it('refuses a missing folder, a file that is not text, and a missing key', async () => {
    expect((await run('push', join(folder, 'nowhere'))).stderr).to.include('there is no folder')
    await writeFile(join(folder, 'x.yaml'), Buffer.from([0xff, 0xfe, 0]))
    expect((await run('push', folder)).stderr).to.include('is not UTF-8 text')
    expect((await runTocsin(['playbooks', 'diff', folder], { env: { TOCSIN_KEY: '' } })).stderr).to.include(
      'an API key is missing',
    )
  })

  it('runs the jobs of the guide', async () => {
    const page = await readFile(
      join(import.meta.dirname, '../../docs/how-to/playbooks-from-a-repository.md'),
      'utf8',
    )
    const jobs = [...page.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text = '']) => text)
    expect(jobs).to.have.length(2)
    await mkdir(join(folder, 'playbooks'))
    for (const [at, job] of jobs.entries()) {
      expect(parse(job), 'it is YAML').to.be.an('object')
      await write('playbooks/one.yaml', source('one', 10 + at))
      const commands = [...job.matchAll(/npx tocsin (.+)$/gm)].map(([, text = '']) => text)
      expect(commands.at(-1)).to.include('playbooks push')
      for (const command of commands) {
        if (command.startsWith('test ')) continue
        const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
        const { code, stderr } = await runTocsin(args, {
          cwd: folder,
          env: { TOCSIN_KEY: tocsin.server.adminKey, TOCSIN_URL: tocsin.server.url },
        })
        expect(code, `${command}: ${stderr}`).to.equal(0)
      }
      expect((await live('one')).source).to.equal(source('one', 10 + at))
    }
  })
})
