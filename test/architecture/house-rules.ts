import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** A source file of the product or of its tests. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  /** Project files that this one imports or re-exports. */
  readonly imports: readonly string[]
}

const maxFiles = 15
/** Parts whose files are units that a table lists: one file each is the convention. */
const units = /\/(skills|migrations|commands\/\w+|resources\/\w+|templates\/.*)$/
const skipped = new Set(['node_modules', 'dist', '.build', 'fixtures', 'planted'])

/** All TypeScript files below the top-level folders; tests are read because they import too. */
export function readSources(root: string): readonly SourceFile[] {
  const paths: string[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) walk(path)
      } else if (/\.tsx?$/.test(entry.name)) paths.push(path)
    }
  }
  for (const part of ['cli', 'core', 'plugins', 'server', 'test'])
    if (existsSync(join(root, part))) walk(part)
  const known = new Set(paths)
  return paths.map((path) => readSource(root, path, known))
}

function readSource(root: string, path: string, known: ReadonlySet<string>): SourceFile {
  const text = readFileSync(join(root, path), 'utf8')
  const specifiers = text.matchAll(
    /^(?:import|export)\s[^'"`;]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|^import\s+'([^']+)'/gm,
  )
  const imports = [...specifiers]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(path), specifier)).replaceAll('\\', '/'))
    .filter((target) => known.has(target))
  return { path, imports: [...new Set(imports)] }
}

const isTest = (path: string): boolean => path.startsWith('test/') || path.endsWith('.test.ts')

/** What breaks the layout rules, one sentence each; empty where all of them hold. */
export function findBrokenRules(files: readonly SourceFile[]): readonly string[] {
  return [...crowdedFolders(files), ...passedFacades(files)]
}

function crowdedFolders(files: readonly SourceFile[]): string[] {
  const folders = Map.groupBy(
    files.filter(({ path }) => !isTest(path)),
    ({ path }) => dirname(path),
  )
  return [...folders].flatMap(([folder, inside]) => {
    return inside.length > maxFiles && !units.test(folder)
      ? [`${folder} has ${inside.length} source files, ${maxFiles} are allowed`]
      : []
  })
}

/** Imports that reach into a folder past its index. Tests may: they test the parts. */
function passedFacades(files: readonly SourceFile[]): string[] {
  const facades = new Set(
    files.filter(({ path }) => basename(path) === 'index.ts').map(({ path }) => dirname(path)),
  )
  return files.flatMap(({ path, imports }) =>
    isTest(path)
      ? []
      : imports.flatMap((target) => {
          if (basename(target) === 'index.ts') return []
          for (let folder = dirname(target); folder !== '.'; folder = dirname(folder)) {
            const isInside = path.startsWith(`${folder}/`)
            if (facades.has(folder) && !isInside) return [`${path} imports ${target} past ${folder}/index.ts`]
          }
          return []
        }),
  )
}
