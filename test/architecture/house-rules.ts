import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** A source file of the product or of its tests. */
export interface SourceFile {
  /** From the root of the repository, with `/`. */
  readonly path: string
  readonly lines: number
  /** Project files that this one imports or re-exports. */
  readonly imports: readonly string[]
  /** Names that the file declares and exports. */
  readonly exports: readonly string[]
  readonly startsWithComment: boolean
}

export interface Sources {
  readonly root: string
  readonly files: readonly SourceFile[]
  /** Folders that have a README.md. */
  readonly explained: ReadonlySet<string>
}

const maxFiles = 15
const maxFilesWithoutReadme = 8
const maxLines = 300
const crumbLines = 40
/** Folders of declared units: one file each, listed in a table. */
const units =
  /^(plugins\/[^/]+\/skills|server\/sqlite\/migrations|cli\/commands\/\w+|server\/http\/resources\/\w+)$/
const skipped = new Set(['node_modules', 'dist', '.build', 'fixtures', 'planted', 'templates'])

/** All TypeScript files below the top-level folders; tests are read because they import too. */
export function readSources(root: string): Sources {
  const paths: string[] = []
  const explained = new Set<string>()
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) walk(path)
      } else if (/\.tsx?$/.test(entry.name)) paths.push(path)
      else if (entry.name === 'README.md') explained.add(folder)
    }
  }
  for (const part of ['cli', 'core', 'plugins', 'server', 'test'])
    if (existsSync(join(root, part))) walk(part)
  const known = new Set(paths)
  return { root, files: paths.map((path) => readSource(root, path, known)), explained }
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
  return {
    path,
    lines: text.split('\n').length - 1,
    imports: [...new Set(imports)],
    exports: [...new Set(exportedNames(text))],
    startsWithComment: text.startsWith('/**'),
  }
}

/** Names that a file declares and exports in any form, without re-exports of imports. */
function exportedNames(text: string): readonly string[] {
  const declarations = text.matchAll(
    /^export\s+(?:default\s+)?(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(?:function\b\s*\*?|(?:const\s+)?enum\b|const\b|let\b|var\b|class\b|interface\b|type\b|namespace\b)\s*(?!extends\b|type\b\s*\{)([$\w]+)/gm,
  )
  const destructured = text.matchAll(/^export\s+(?:const|let|var)\s*([{[][^;]*?[}\]])\s*=(?!=)/gm)
  const lists = text.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}(?!\s*from\b)/gm)
  const imported = new Set(
    [...text.matchAll(/^import\s+([^'"]*?)\s+from\b/gm)].flatMap(([, clause = '']) => boundNames(clause)),
  )
  return [
    ...[...declarations].map(([, name = '']) => name),
    ...[...destructured].flatMap(([, pattern = '']) => boundNames(pattern)),
    ...[...lists].flatMap(([, list = '']) => listedNames(list, imported)),
  ]
}

/** The names that a pattern or an import clause binds: those after `:` and `as`, without default values. */
function boundNames(pattern: string): readonly string[] {
  return pattern
    .replaceAll(/\s=[^,}\]]*/g, '')
    .split(/[,{}[\]]/)
    .map((part) => /([$\w]+)\s*$/.exec(part)?.[1] ?? '')
    .filter((name) => name !== '' && name !== 'type')
}

/** The names of `export { Local as Name }`. An import that is exported under its own name is declared elsewhere. */
function listedNames(list: string, imported: ReadonlySet<string>): readonly string[] {
  return list.split(',').flatMap((part) => {
    const [, local = '', name = local] = /^\s*(?:type\s+)?([$\w]+)(?:\s+as\s+([$\w]+))?\s*$/.exec(part) ?? []
    return local === '' || name === 'default' || (imported.has(local) && local === name) ? [] : [name]
  })
}

const isTest = (path: string): boolean => path.startsWith('test/') || path.endsWith('.test.ts')
const isIndex = (path: string): boolean => basename(path) === 'index.ts'

/** Violations of the layout rules. */
export function findBreaches(sources: Sources): readonly string[] {
  const product = sources.files.filter(({ path }) => !isTest(path))
  return [
    ...crowdedFolders(sources, product),
    ...longFiles(product),
    ...crumbs(sources.files, product),
    ...passedFacades(sources.files, product),
    ...repeatedNames(product),
    ...staleReadmes(sources),
  ]
}

function crowdedFolders({ explained }: Sources, product: readonly SourceFile[]): string[] {
  const folders = Map.groupBy(product, ({ path }) => dirname(path))
  return [...folders].flatMap(([folder, inside]) => {
    const found: string[] = []
    if (inside.length > maxFiles && !units.test(folder)) {
      found.push(`${folder} has ${inside.length} source files, ${maxFiles} are allowed`)
    }
    const hasIndexComment = inside.some(({ path, startsWithComment }) => isIndex(path) && startsWithComment)
    if (inside.length > maxFilesWithoutReadme && !hasIndexComment && !explained.has(folder)) {
      found.push(
        `${folder} has ${inside.length} source files: it needs a README.md or a comment at the top of index.ts`,
      )
    }
    return found
  })
}

function longFiles(product: readonly SourceFile[]): string[] {
  return product
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines, ${maxLines} are allowed`)
}

/** Small files that only one other file needs. A declared unit, or a file that a `*.test.ts` imports, may be small. */
function crumbs(files: readonly SourceFile[], product: readonly SourceFile[]): string[] {
  const importers = new Map<string, string[]>()
  for (const { path, imports } of files)
    for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), path])
  return product.flatMap(({ path, lines }) => {
    const all = importers.get(path) ?? []
    const [only, ...more] = all.filter((importer) => !isTest(importer))
    const isWanted =
      lines >= crumbLines ||
      all.some((importer) => importer.endsWith('.test.ts')) ||
      units.test(dirname(path)) ||
      isIndex(path)
    if (isWanted || only === undefined || more.length > 0) return []
    return [`${path} has ${lines} lines and one importer: move it into ${only}`]
  })
}

/** Imports that reach into a folder past its index. Tests may: they test the parts. */
function passedFacades(files: readonly SourceFile[], product: readonly SourceFile[]): string[] {
  const facades = new Set(files.filter(({ path }) => isIndex(path)).map(({ path }) => dirname(path)))
  return product.flatMap(({ path, imports }) =>
    imports.flatMap((target) => {
      if (isIndex(target)) return []
      for (let folder = dirname(target); folder !== '.'; folder = dirname(folder)) {
        if (facades.has(folder) && !path.startsWith(`${folder}/`)) {
          return [`${path} imports ${target} past ${folder}/index.ts`]
        }
      }
      return []
    }),
  )
}

/** Names with two meanings. A plugin is a package of its own: other plugins may use the same names. */
function repeatedNames(product: readonly SourceFile[]): string[] {
  const owners = new Map<string, string[]>()
  for (const { path, exports } of product)
    for (const name of exports) owners.set(name, [...(owners.get(name) ?? []), path])
  return [...owners]
    .filter(([, paths]) => new Set(paths.map(pluginOf)).size < paths.length || paths.some(isShared))
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is exported ${paths.length} times: ${paths.join(', ')}`)
}

const pluginOf = (path: string): string => /^plugins\/[^/]+/.exec(path)?.[0] ?? 'project'
const isShared = (path: string): boolean => !path.startsWith('plugins/')

/** Files and folders that a README lists and that do not exist. */
function staleReadmes({ root, explained }: Sources): string[] {
  return [...explained].flatMap((folder) => {
    const text = readFileSync(join(root, folder, 'README.md'), 'utf8')
    const [, table = ''] = /^\| (?:file|folder)s? .*\n\|[ -|]+\n((?:\|.*\n)+)/m.exec(text) ?? []
    const cells = table.split('\n').map((row) => row.split('|')[1] ?? '')
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([\w./-]+)`/g)].map(([, name = '']) => name))
    return names
      .filter((name) => !existsSync(join(root, folder, name)))
      .map((name) => `${folder}/README.md lists ${name}, which does not exist`)
  })
}
