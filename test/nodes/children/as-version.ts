import { registerHooks } from 'node:module'

/**
 * Loaded before Tocsin (`node --import`): the process takes itself for the version TEST_VERSION, whose newest migration is the SQL of
 * TEST_MIGRATION if that is not empty.
 */
const root = new URL('../../../', import.meta.url).href
const { TEST_VERSION: version, TEST_MIGRATION: migration } = process.env
const migrationList = /(const inBoth: readonly Migration\[\] = \[[^\]]*)\]/

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const change = (source: string) => ({ ...loaded, source })
    if (url === `${root}package.json`)
      return change(JSON.stringify({ ...JSON.parse(textOf(loaded.source)), version }))
    if (url !== `${root}server/sqlite/migrations/all-migrations.ts` || !migration) return loaded
    const source = textOf(loaded.source)
    if (!migrationList.test(source)) throw new Error('found no list of migrations')
    return change(
      source.replace(migrationList, (_, list: string) => `${list}, ${JSON.stringify(migration)}]`),
    )
  },
})

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray | undefined | null): string =>
  typeof source === 'string' ? source : new TextDecoder().decode(source ?? undefined)
