/**
 * `npm run page`: builds the web page into `dist/` if a source has changed. `--force` always builds. Without
 * the development packages it does nothing: the server works without the page.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const here = import.meta.dirname
const stamp = join(here, '../../.build/page-sources')

const sources = await hashOfSources()
if (process.argv.includes('--force') || !(await isBuiltFrom(sources))) await buildPage()

/** A hash of the sources and the locked packages. */
async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(here, '../../package-lock.json')))
  const names = await Array.fromAsync(glob('**/*.{ts,tsx,css,html,svg}', { cwd: here, exclude: ['dist'] }))
  for (const name of names.toSorted()) hash.update(`\0${name}\0`).update(await readFile(join(here, name)))
  return hash.digest('hex')
}

async function isBuiltFrom(hash: string): Promise<boolean> {
  const built = await readFile(stamp, 'utf8').catch(() => undefined)
  return built === hash && existsSync(join(here, 'dist/index.html'))
}

async function buildPage(): Promise<void> {
  const vite = await import('vite').catch(() => undefined)
  if (vite === undefined) {
    process.stderr.write(
      'The web page is not built: vite is not installed (npm ci without --omit=dev brings it).\n',
    )
    return
  }
  process.stderr.write('Building the web page, once …\n')
  await mkdir(dirname(stamp), { recursive: true })
  const [made, place] = [join(dirname(stamp), `page-${process.pid}`), join(here, 'dist')]
  await vite.build({ configFile: join(here, 'vite.config.ts'), logLevel: 'warn', build: { outDir: made } })
  // A server that starts during the build finds either the old or the new page.
  await rm(place, { recursive: true, force: true })
  await rename(made, place)
  await writeFile(stamp, sources)
}
