/**
 * Makes the package that is published: `node .ci/package.ts [folder]`, by default in `dist/`. Node does not strip types below
 * node_modules, so the sources are compiled; everything else that is needed there is copied.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { loadOnce, openCheckedPlugins, shippedFile } from '../core/declarative/index.ts'

const root = join(import.meta.dirname, '..')

/** What is no TypeScript and is needed at run time or to read. */
const copied = [
  'README.md',
  'LICENSE',
  'SECURITY.md',
  'CHANGELOG.md',
  'docs/**/*.md',
  'docs/{pictures,systemd}/*',
  'deploy/*',
  'schemas/*.json',
  'playbooks/*.{yaml,md}',
  'cli/demo/alerts/*',
  'cli/demo/playbooks/*',
  'cli/new-plugin/templates/{plain,connected,package,yaml,yaml-package}/**/*.*',
  'core/**/*.md',
  'plugins/**/*.md',
  'plugins/*/plugin.yaml',
  'plugins/*/examples/*.json',
  'server/web/dist/**/*.*',
]

/** Sandboxes answer from the fixtures beside them; other fixtures are for tests. */
const sandboxes = 'plugins/*/sandbox.ts'

async function makePackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  execFileSync(process.execPath, [join(root, 'server/web/build.ts')], { stdio: ['ignore', 2, 2] })
  compile(folder)
  for await (const file of glob(copied, { cwd: root })) {
    if (!file.endsWith('.test.yaml')) await copy(file, folder)
  }
  for await (const file of glob(sandboxes, { cwd: root })) {
    const fixtures = join(dirname(file), 'fixtures')
    if (existsSync(join(root, fixtures))) await copy(fixtures, folder)
  }
  await writeCommand(folder)
  await writeManifest(folder)
  await rememberPlugins(folder)
}

function compile(folder: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.publish.json'), '--outDir', folder], {
    stdio: ['ignore', 2, 2], // what it says belongs to a failure, not to the result
  })
}

async function copy(path: string, folder: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await cp(join(root, path), join(folder, path), { recursive: true })
}

/** The one file that is JavaScript already, and names a file that is compiled. */
async function writeCommand(folder: string): Promise<void> {
  const source = await readFile(join(root, 'cli/tocsin.js'), 'utf8')
  const parts = source.split("import('./main.ts')")
  if (parts.length !== 2) throw new Error('cli/tocsin.js does not import ./main.ts once')
  await writeFile(join(folder, 'cli/tocsin.js'), parts.join("import('./main.js')"), { mode: 0o755 })
}

/** So that the first start of the package does not check its own plugins again. */
async function rememberPlugins(folder: string): Promise<void> {
  const checked = openCheckedPlugins(undefined, folder)
  for await (const path of glob('plugins/*/plugin.yaml', { cwd: folder }))
    loadOnce({ path: join(folder, path), isNamedAfterFolder: true, isThorough: false }, checked)
  checked.save()
  // Readable for every user of the machine.
  await chmod(join(folder, shippedFile), 0o644)
}

async function writeManifest(folder: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  const { scripts: _, devDependencies: __, private: ___, ...kept } = manifest
  const exports = Object.entries(manifest['exports'] as Record<string, string>)
  const compiled = {
    ...kept,
    exports: Object.fromEntries(exports.map(([name, path]) => [name, entry(path)])),
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(compiled, null, 2)}\n`)
}

function entry(path: string): string | Record<string, string> {
  if (!path.endsWith('.ts')) return path
  const stem = path.slice(0, -'.ts'.length)
  return { types: `${stem}.d.ts`, default: `${stem}.js` }
}

await makePackage(resolve(process.argv[2] ?? join(root, 'dist')))
