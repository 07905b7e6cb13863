import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium from '@sparticuz/chromium'
import { temporaryFilesIn } from '../../support/temporary-files-in.ts'

const build = join(import.meta.dirname, '../../../.build')

/** What the package sets for speed alone: pages are tested in a browser that keeps the rules of the web. */
const isLax = /web-security|insecure-content|site-isolation|IsolateOrigins|single-process|no-zygote/
/** Computing as a graphics card would costs twice the processor time of drawing. */
const isGraphics = /gpu|angle|use-gl|swiftshader/

/** How the browser is started. Pages of tests live for seconds: optimizing their scripts costs more than it saves. */
export function browserArguments(): string[] {
  const kept = chromium.args.filter((argument) => !isLax.test(argument) && !isGraphics.test(argument))
  return [...kept, '--disable-gpu', '--js-flags=--no-opt --no-maglev']
}

/** The program of the browser that the development packages bring: unpacked once, as that takes seconds, into `.build/`. */
export async function unpackedBrowser(): Promise<string> {
  const manifest = fileURLToPath(new URL('../package.json', import.meta.resolve('@sparticuz/chromium')))
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const place = join(build, `chromium-${version}`)
  const program = join(place, 'chromium')
  if (existsSync(program)) return program
  await mkdir(build, { recursive: true })
  const made = await mkdtemp(`${place}-`)
  try {
    await temporaryFilesIn(made, () => chromium.executablePath())
    // Whoever unpacks meanwhile finds all of it, or none.
    await rename(made, place)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    if (!existsSync(program)) throw error
  }
  return program
}
