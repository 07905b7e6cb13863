import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

const bell = `import { definePlugin, defineSkill } from 'tocsin/plugin'

const ring = defineSkill({
  name: 'ring', title: 'Ring', description: 'Rings.', effect: 'write', repeat: 'never',
  input: { type: 'object', required: ['times'], properties: { times: { type: 'integer' } } },
  output: { type: 'object', required: ['rung'], properties: { rung: { type: 'integer' } } },
  examples: [{ title: 'Once', input: { times: 1 }, output: { rung: 1 } }],
  async run({ times }) {
    const rung: number = times
    return { rung }
  },
})
export default definePlugin({ name: 'bell', title: 'Bell', description: 'A bell.', skills: [ring] })
`

describe('the published package', function () {
  this.timeout(180_000)
  let folder: TemporaryFolder
  let installed: string
  let command: string
  /** The archive made by npm. */
  let packed: { readonly filename: string; readonly files: readonly { readonly path: string }[] }

  before(async () => {
    folder = await makeTemporaryFolder()
    installed = join(folder.path, 'node_modules/tocsin')
    command = join(installed, 'cli/tocsin.js')
    await run(process.execPath, [join(root, '.ci/package.ts'), installed])
    await symlink(join(root, 'node_modules'), join(installed, 'node_modules'))
    await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder.path, 'bell.ts'), bell)
  })
  before(async () => {
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path]
    ;[packed] = JSON.parse((await run('npm', pack, { cwd: installed })).stdout) as [typeof packed]
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const tocsin = (args: readonly string[], env: Record<string, string> = {}) =>
    runTocsin(args, { command, cwd: folder.path, env })

  it('has plugins with the same skills as the checkout', async () => {
    const [packaged, sources] = await Promise.all([
      tocsin(['skills', '--json']),
      runTocsin(['skills', '--json']),
    ])
    expect(packaged, packaged.stderr).to.include({ code: 0, stderr: '' })
    expect(JSON.parse(packaged.stdout)).to.deep.equal(JSON.parse(sources.stdout))
  })

  it('validates playbooks, including its own', async () => {
    const { code, stdout } = await tocsin(['validate', join(installed, 'playbooks')])
    expect(code, stdout).to.equal(0)
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks/bad.yaml'), 'apiVersion: tocsin/v1\nname: Bad Name\n')
    expect(await tocsin(['validate'])).to.include({ code: 1, stderr: '' })
  })

  it('runs its demo from any folder with its own playbooks', async () => {
    const { code, stdout, stderr } = await tocsin(['demo'])
    expect(code, stdout + stderr).to.equal(0)
    expect(stdout).to.match(/^Completed +DEMO-PROOFPOINT-1 +phishing-report /m)
    expect(stdout).to.match(/^demo-\d+ +unusual-download: .*DEMO-FILE_STORE-1$/m)
  })

  it('loads plugins from neighboring packages', async () => {
    const beside = join(folder.path, 'node_modules/tocsin-bell')
    await mkdir(beside)
    await writeFile(join(beside, 'package.json'), '{ "type": "module", "exports": "./bell.js" }')
    await writeFile(join(beside, 'bell.js'), bell.replace('rung: number', 'rung'))
    const { code, stdout, stderr } = await tocsin(['skills', 'bell'], { TOCSIN_PLUGINS: 'tocsin-bell' })
    expect(code, stderr).to.equal(0)
    expect(stdout).to.match(/^bell\.ring +Ring +write, never$/m)
  })

  it('creates a plugin that matches its types, and finds it', async () => {
    const made = await tocsin(['new', 'plugin', 'gong', '--connection'])
    expect(made, made.stderr).to.include({ code: 0, stderr: '' })
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    await rm(join(folder.path, 'gong/gong.test.ts')) // chai is not installed here
    await run(process.execPath, [compiler, '-p', join(folder.path, 'gong'), ...types])
    const { stdout } = await tocsin(['skills', 'gong'], { TOCSIN_PLUGINS: './gong/plugin.ts' })
    expect(stdout).to.match(/^gong\.get_item +Get Item +read$/m)
  })

  it('loads a packed plugin in YAML', async () => {
    const made = await tocsin(['new', 'plugin', 'drum', '--yaml'])
    expect(made, made.stderr).to.include({ code: 0, stderr: '' })
    await run('npm', ['pack', '--pack-destination', folder.path], { cwd: join(folder.path, 'drum') })
    const target = join(folder.path, 'node_modules/@example/tocsin-drum')
    await mkdir(target, { recursive: true })
    const archive = join(folder.path, 'example-tocsin-drum-0.1.0.tgz')
    await run('tar', ['-xzf', archive, '--strip-components', '1', '-C', target])
    const env = { TOCSIN_PLUGINS: '@example/tocsin-drum' }
    const listed = await tocsin(['plugins', '--json'], env)
    expect(JSON.parse(listed.stdout)).to.deep.include({
      name: 'drum',
      title: 'Drum',
      kind: 'YAML',
      source: '@example/tocsin-drum',
      path: join(await realpath(target), 'plugin.yaml'),
      needs_connection: true,
      skills: ['drum.get_item', 'drum.list_items'],
    })
    const checked = await tocsin(['plugins', 'check', target])
    expect(checked, checked.stdout).to.include({ code: 0 })
  })

  it('has types for plugins', async () => {
    const wrong = bell.replace('const rung: number', 'const rung: string')
    await writeFile(join(folder.path, 'wrong.ts'), wrong)
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const options = `--noEmit --strict --module nodenext --target es2024 --skipLibCheck false --ignoreConfig --types node`
    const types = ['--typeRoots', join(root, 'node_modules/@types')]
    const files = ['bell.ts', 'wrong.ts'].map((file) => join(folder.path, file))
    const complaints = await run(process.execPath, [
      compiler,
      ...options.split(' '),
      ...types,
      ...files,
    ]).then(
      () => '',
      (error: { stdout: string }) => error.stdout,
    )
    expect(complaints).to.contain("error TS2322: Type 'number' is not assignable to type 'string'.")
    expect(complaints).to.contain('wrong.ts').and.not.contain('bell.ts')
    expect(complaints).not.to.contain('node_modules')
  })

  it('has no tests, no sources and no development files', async () => {
    const { files } = packed
    // What `tocsin new` copies is read, never run.
    const paths = files
      .map((file) => file.path)
      .filter((path) => !path.startsWith('cli/new-plugin/templates/'))
    expect(paths).to.have.length.below(files.length)
    const unwanted = /\.test\.|(?<!\.d)\.ts$|^(test|dist|node_modules|\.ci|\.build)\/|tsconfig|\.map$/
    expect(paths.filter((path) => unwanted.test(path))).to.deep.equal([])
    expect(paths).to.include.members(['README.md', 'LICENSE', 'cli/tocsin.js', 'cli/main.js', 'docs/api.md'])
    expect(paths).to.include.members(['schemas/playbook.schema.json', 'plugins/case/README.md'])
    const fixtures = new Set(
      paths.filter((path) => path.includes('/fixtures/')).map((path) => path.split('/')[1]),
    )
    expect([...fixtures], 'plugins with fixtures').to.deep.equal(await pluginsWithSandboxFixtures())
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object
    expect(manifest).not.to.have.any.keys('devDependencies', 'scripts')
    expect(JSON.stringify(manifest)).not.to.match(/(?<!\.d)\.ts"/)
  })

  it('has the pictures of its README and the files of its guides', async () => {
    for (const page of ['README.md', 'docs/operations.md', 'docs/backup.md', 'docs/security.md']) {
      const text = await readFile(join(installed, page), 'utf8')
      const linked = page === 'README.md' ? /!\[[^\]]*\]\(([^)#:]+)\)/g : /\]\(([^)#:]+)(?:#[^)]*)?\)/g
      const paths = [...text.matchAll(linked)].map(([, path = '']) => join(installed, dirname(page), path))
      // The README shows one picture; the guides are about several files each.
      expect(paths, page).to.have.length.above(page === 'README.md' ? 0 : 1)
      for (const path of paths) expect(existsSync(path), path).to.equal(true)
    }
  })

  it('is complete in the npm archive: an installed server serves the page', async () => {
    const modules = join(folder.path, 'elsewhere/node_modules')
    await mkdir(join(modules, 'tocsin'), { recursive: true })
    const unpack = ['-xzf', join(folder.path, packed.filename), '--strip-components', '1']
    await run('tar', [...unpack, '-C', join(modules, 'tocsin')])
    await symlink(join(root, 'node_modules'), join(modules, 'tocsin/node_modules'))
    const server = await startServer({
      command: join(modules, 'tocsin/cli/tocsin.js'),
      cwd: join(folder.path, 'elsewhere'),
      dataDir: 'data',
    })
    const page = await fetch(server.url)
    const html = await page.text()
    expect(page.headers.get('content-type'), html.slice(0, 500)).to.match(/^text\/html/)
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
    expect(files.some((path) => path?.endsWith('.js'))).to.equal(true)
    for (const path of files) expect((await fetch(`${server.url}${path}`)).status, path).to.equal(200)
    await server.stop()
  })

  it('exports only existing files', async () => {
    const { exports, bin } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
      exports: Record<string, string | Record<string, string>>
      bin: Record<string, string>
    }
    const targets = [...Object.values(exports), ...Object.values(bin)].flatMap((target) =>
      typeof target === 'string' ? [target] : Object.values(target),
    )
    expect(targets).to.have.length.greaterThan(4)
    for (const target of targets)
      expect((await readFile(join(installed, target))).length).to.be.greaterThan(0)
  })
})

async function pluginsWithSandboxFixtures(): Promise<string[]> {
  const plugins = await readdir(join(root, 'plugins'))
  const names = await Promise.all(
    plugins.map(async (name) => {
      const files = await readdir(join(root, 'plugins', name)).catch((): string[] => [])
      return files.includes('sandbox.ts') && files.includes('fixtures') ? [name] : []
    }),
  )
  return names.flat().toSorted()
}
