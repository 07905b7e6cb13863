import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium from '@sparticuz/chromium'
import { temporaryFilesIn } from '../../support/temporary-files-in.ts'

const build = join(import.meta.dirname, '../../../.build')

/** Options that the package sets only for speed: pages are tested in a standards-compliant browser. */
const isLax = /web-security|insecure-content|site-isolation|IsolateOrigins|single-process|no-zygote/
/** Emulating a graphics card costs twice the processor time of drawing. */
const isGraphics = /gpu|angle|use-gl|swiftshader/

/**
 * Launch options of the browser. Test pages live for seconds, so optimizing their scripts costs more than it
 * saves.
 */
export function browserArguments(): string[] {
  const kept = chromium.args.filter((argument) => !isLax.test(argument) && !isGraphics.test(argument))
  return [...kept, '--disable-gpu', '--js-flags=--no-opt --no-maglev']
}

/** The browser of the development packages: unpacked once into `.build/`, because that takes seconds. */
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
    // Concurrent unpackers find all of it, or none.
    await rename(made, place)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    if (!existsSync(program)) throw error
  }
  return program
}
